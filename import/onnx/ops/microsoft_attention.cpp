// Attention of ONNX Runtime's domain: heads are packed as [B, S, N·D], masks and caches have forms of their own.
#include <fmt/format.h>

#include "import/onnx/attention.h"
#include "import/onnx/handlers.h"
#include "import/onnx/linear_quant.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

struct Heads {
  Var q, k, v;  // [B, N, S, D], [B, N, T, D], [B, N, T, E]
};

// An attribute that must be left at its default.
void require_integer(Node& node, std::string_view name, int64_t wanted) {
  if (const int64_t got = node.integer(name, wanted); got != wanted) {
    throw Unsupported(fmt::format("attribute {} is {}", name, got));
  }
}

std::optional<double> scale_of(Node& node) {
  const double scale = node.real("scale", 0.0);
  return scale != 0 ? std::optional(scale) : std::nullopt;
}

// The parts [start, start + size) of the last axis, one after the other.
std::vector<Var> cut(Var x, const std::vector<Dim>& sizes) {
  const int64_t axis = x.type().rank() - 1;
  std::vector<Var> parts;
  Dim start = 0;
  for (const Dim& size : sizes) {
    parts.push_back(x.graph().slice(x, {axis}, {start}, {start + size}));
    start = start + size;
  }
  return parts;
}

// ------------------------------------------------------------------------------------------------------------- masks

// 0 where a key counts, else the filter value, so that a row without any key still has a softmax: [B, 1, S or 1, T].
Var padding_mask(const Node& node, Var mask, const Heads& heads, double filter) {
  GraphBuilder& graph = mask.graph();
  const Dim batch = heads.q.dim(0), keys = heads.k.dim(2);
  const int64_t rank = mask.type().rank();
  Var counts = mask;
  if (rank == 1) {
    counts = graph.lt(graph.iota(keys), as_dtype(unsqueeze(ensure(mask, {batch}), {1, 2, 3}), DType::i64));
  } else if (rank == 2 || rank == 3) {
    const Var seen = graph.ne(mask, graph.scalar(0, mask.dtype()));
    counts = rank == 2 ? unsqueeze(ensure(seen, {batch, keys}), {1, 2})
                       : unsqueeze(ensure(seen, {batch, heads.q.dim(2), keys}), {1});
  } else {
    throw Unsupported(fmt::format("a mask is {}", to_string(mask.type())));
  }
  if (equal(counts.dim(-1), keys) != Proof::yes) node.malformed("the mask", to_string(mask.shape()), "all keys");
  const DType dtype = heads.q.dtype();
  return graph.select(counts, graph.scalar(0.0, dtype), graph.scalar(filter, dtype));
}

// A bias of the scores, which broadcasts to [B, N, S, T].
Var score_bias(Var bias, const Heads& heads) {
  return stretchable(bias, {heads.q.dim(0), heads.q.dim(1), heads.q.dim(2), heads.k.dim(2)});
}

// Query i sees the keys up to i + past.
Var attended(const Heads& heads, std::optional<Var> mask, bool causal, const Dim& past, options::Attention options) {
  GraphBuilder& graph = heads.q.graph();
  if (causal && equal(heads.k.dim(2), past + heads.q.dim(2)) == Proof::yes) {
    options.causal = Causal::lower_right;
  } else if (causal) {
    const Reach reach{.offset = graph.size_of(past), .left = {}, .right = 0};
    mask = joined(mask, reachable(graph, reach, heads.q.dim(2), heads.k.dim(2)));
  }
  options.mask = mask;
  return merge_heads(graph.attention(heads.q, heads.k, heads.v, options));
}

// New keys or values behind those of the past: [B, N, P + S, D].
Var behind(Var past, Var fresh) {
  const auto shape = Shape(fresh.shape());
  return fresh.graph().concatenate({ensure(past, {shape[0], shape[1], past.dim(2), shape[3]}), fresh}, {.axis = 2});
}

// ------------------------------------------------------------------------------------------- Attention and QAttention

// past[i] of [2, B, N, P, D]
Var past_part(Var past, int64_t i) { return squeeze(past.graph().slice(past, {0}, {i}, {i + 1}), {0}); }

// The common half of both: qkv [B, S, …] holds queries, keys and values side by side.
void self_attention(Node& node, GraphBuilder& graph, Var qkv, const std::vector<Dim>& sizes, size_t mask, size_t past,
                    std::optional<size_t> bias) {
  const int64_t count = node.integer("num_heads");
  const bool causal = node.flag("unidirectional", false);
  const double filter = node.real("mask_filter_value", -10000.0);
  const options::Attention options{.scale = scale_of(node)};
  require_integer(node, "do_rotary", 0);
  require_integer(node, "past_present_share_buffer", 0);
  const std::vector<Var> parts = cut(qkv, sizes);
  Heads heads{split_heads(node, parts[0], count), split_heads(node, parts[1], count),
              split_heads(node, parts[2], count)};
  Dim before = 0;
  if (node.has(past)) {
    const Var all = node.input(past);
    before = all.dim(3);
    heads.k = behind(past_part(all, 0), heads.k);
    heads.v = behind(past_part(all, 1), heads.v);
  }
  if (node.wants(1)) node.set(1, graph.concatenate({unsqueeze(heads.k, {0}), unsqueeze(heads.v, {0})}));
  std::optional<Var> added;
  if (node.has(mask)) added = padding_mask(node, node.input(mask), heads, filter);
  if (bias && node.has(*bias)) added = joined(added, score_bias(node.input(*bias), heads));
  node.set(0, attended(heads, added, causal, before, options));
}

void attention(Node& node, GraphBuilder& graph) {
  const Var x = node.input(0), w = node.input(1);
  Var qkv = graph.matmul(ensure_size(x, 2, w.dim(0)), w);
  if (node.has(2)) qkv = qkv + ensure(node.input(2), {w.dim(1)});
  std::vector<Dim> sizes(3, quotient_of(w.dim(1), 3));
  if (const auto listed = node.integers("qkv_hidden_sizes")) {
    if (listed->size() != 3) node.malformed("qkv_hidden_sizes", fmt::format("{}", listed->size()), "3 numbers");
    sizes.assign(listed->begin(), listed->end());
  }
  self_attention(node, graph, qkv, sizes, 3, 4, 5);
}

void quantized_attention(Node& node, GraphBuilder& graph) {
  const Var x = node.input(0), w = node.input(1), bias = node.input(2);
  const Var scale = reshape(node.input(3), {}) * spread(node, node.input(4), Shape(w.shape()), 1);
  options::IntegerMatmul zeros;
  if (node.has(6)) zeros.a_zero = reshape(node.input(6), {});
  if (node.has(7)) zeros.b_zero = node.input(7);
  const Var product = graph.integer_matmul(ensure_size(x, 2, w.dim(0)), w, zeros);
  const Var qkv = as_dtype(product, DType::f32) * scale + as_dtype(bias, DType::f32);
  self_attention(node, graph, as_dtype(qkv, bias.dtype()), std::vector<Dim>(3, quotient_of(w.dim(1), 3)), 5, 8, {});
}

// -------------------------------------------------------------------------------------------------- MultiHeadAttention

// [B, S, N, parts, D] as parts of [B, N, S, D].
std::vector<Var> unpacked(Var x, int64_t parts) {
  GraphBuilder& graph = x.graph();
  std::vector<Var> all;
  for (int64_t i = 0; i < parts; ++i) {
    all.push_back(graph.transpose(squeeze(graph.slice(x, {3}, {i}, {i + 1}), {3}), {0, 2, 1, 3}));
  }
  return all;
}

Heads separate_heads(Node& node, int64_t count) {
  const auto in = [&](size_t i, Var x) {
    if (x.type().rank() == 4) return x;
    if (!node.has(3)) return split_heads(node, x, count);
    // The bias holds the parts of queries, keys and values side by side.
    const Dim q = node.type(0).shape.back(), size = x.dim(2);
    const Dim start = i == 0 ? Dim(0) : i == 1 ? q : q + node.type(1).shape.back();
    const Var bias = node.input(3);
    return split_heads(node, x + bias.graph().slice(bias, {0}, {start}, {start + size}), count);
  };
  return {in(0, node.input(0)), in(1, node.input(1)), in(2, node.input(2))};
}

Heads heads_of(Node& node, int64_t count) {
  const int64_t rank = node.rank(0);
  if (rank == 3 && node.has(2)) {
    if (node.rank(1) == 4 && node.has(3)) throw Unsupported("it has a bias, and keys of rank 4");
    return separate_heads(node, count);
  }
  if (node.has(3)) throw Unsupported("it has a bias, and queries and keys in one tensor");
  if (rank == 5) {
    const std::vector<Var> parts = unpacked(node.input(0), 3);
    return {parts[0], parts[1], parts[2]};
  }
  const std::vector<Var> parts = unpacked(node.input(1), 2);
  return {split_heads(node, node.input(0), count), parts[0], parts[1]};
}

void multi_head_attention(Node& node, GraphBuilder&) {
  const int64_t count = node.integer("num_heads");
  const bool causal = node.flag("unidirectional", false);
  const double filter = node.real("mask_filter_value", -10000.0);
  const options::Attention options{.scale = scale_of(node)};
  Heads heads = heads_of(node, count);
  Dim before = 0;
  if (node.has(6)) {
    const Var key = node.input(6), value = node.input(7);
    before = key.dim(2);
    heads.k = behind(key, heads.k);
    heads.v = behind(value, heads.v);
  }
  const Dim batch = heads.q.dim(0);
  heads.k = ensure_size(heads.k, 0, batch);
  heads.v = ensure(heads.v, {batch, heads.v.dim(1), heads.k.dim(2), heads.v.dim(3)});
  node.set(1, heads.k);
  node.set(2, heads.v);
  std::optional<Var> mask;
  if (node.has(4)) mask = padding_mask(node, node.input(4), heads, filter);
  if (node.has(5)) mask = joined(mask, score_bias(node.input(5), heads));
  node.set(0, attended(heads, mask, causal, before, options));
}

// ------------------------------------------------------------------------------------------------- GroupQueryAttention

Heads grouped_heads(Node& node, int64_t count, int64_t own) {
  constexpr int64_t kMostHeads = 1 << 20;
  if (count < 1 || own < 1 || count > kMostHeads || own > kMostHeads) {
    node.malformed("num_heads and kv_num_heads", fmt::format("{} and {}", count, own), "numbers of heads");
  }
  if (node.has(1)) {
    return {split_heads(node, node.input(0), count), split_heads(node, node.input(1), own),
            split_heads(node, node.input(2), own)};
  }
  const Var all = node.input(0);
  const Dim size = quotient_of(all.dim(2), count + 2 * own);
  const std::vector<Var> parts = cut(all, {size * count, size * own, size * own});
  return {split_heads(node, parts[0], count), split_heads(node, parts[1], own), split_heads(node, parts[2], own)};
}

// i64 [B]: the place of the first of the new keys; seqlens_k holds the number of keys less 1.
Var first_places(Node& node, GraphBuilder& graph, const Heads& heads) {
  const Var last = as_dtype(node.input(5), DType::i64);
  const Dim batch = heads.q.dim(0);
  const Var start = reshape(last, {batch}) + 1 - graph.size_of(heads.k.dim(2));
  return graph.max(start, graph.scalar(0, DType::i64));  // a first prompt that is padded behind
}

// The new rows written into the cache [B, G, P, D], which grows to `length`.
Var grown(Node& node, size_t past, Var fresh, Var places, const Dim& length) {
  GraphBuilder& graph = fresh.graph();
  const Shape shape{fresh.dim(0), fresh.dim(1), length, fresh.dim(3)};
  Var cache = graph.full(shape, 0, {.dtype = fresh.dtype()});
  if (node.has(past)) {
    const Var old = node.input(past);
    cache = ensure(graph.pad(old, {0, 0, 0, 0}, {0, 0, max(length - old.dim(2), 0), 0}), shape);
  }
  const Var at = broadcast_to(unsqueeze(places, {1, 3}), Shape(fresh.shape()));
  return graph.scatter_set(cache, at, fresh, {.axis = 2});
}

void refuse_quantized_cache(Node& node) {
  for (const std::string_view name : {"k_quant_type", "v_quant_type"}) {
    if (const std::string type = node.text(name, "NONE"); type != "NONE") {
      throw Unsupported(fmt::format("attribute {} is {}", name, type));
    }
  }
  node.ignore("kv_cache_bit_width", "the cache is not quantised");
}

void group_query_attention(Node& node, GraphBuilder& graph) {
  refuse_quantized_cache(node);
  require_integer(node, "qk_output", 0);
  require_integer(node, "sliding_window_cache", 0);
  node.ignore("qk_norm_epsilon", "for inputs that are refused");
  const int64_t count = node.integer("num_heads"), own = node.integer("kv_num_heads");
  const int64_t local = node.integer("local_window_size", -1);
  const bool causal = node.flag("causal", true), rotary = node.flag("do_rotary", false);
  const bool smooth = node.integer("smooth_softmax", -1) > 0, interleaved = node.flag("rotary_interleaved", false);
  const double softcap = node.real("softcap", 0.0);

  Heads heads = grouped_heads(node, count, own);
  heads.k = ensure_size(heads.k, 0, heads.q.dim(0));
  heads.v = ensure(heads.v, Shape(heads.k.shape()));
  const Dim total = node.dim(6), queries = heads.q.dim(2);
  const Dim length = node.has(3) ? max(node.input(3).dim(2), total) : total;
  const Var first = first_places(node, graph, heads);
  const Var places = unsqueeze(first, {1}) + graph.iota(heads.k.dim(2));  // [B, S]
  if (rotary) {
    const Var positions = node.has(9) ? ensure(node.input(9), {heads.q.dim(0), queries}) : places;
    const Rotation rotation{node.input(7), node.input(8), positions, interleaved};
    heads.q = rotated(heads.q, rotation);
    heads.k = rotated(heads.k, rotation);
  }
  heads.k = grown(node, 3, heads.k, places, length);
  heads.v = grown(node, 4, heads.v, places, length);
  node.set(1, heads.k);
  node.set(2, heads.v);

  Reach reach{.offset = first, .left = {}, .right = {}};
  if (causal) reach.right = 0;
  if (local >= 0) reach.left = local - 1;
  std::optional<Var> mask;
  if (reach.left || reach.right) {
    mask = reachable(graph, reach, queries, length);
  } else {
    const Var end = unsqueeze(first + graph.size_of(queries), {1, 2, 3});
    mask = graph.lt(graph.iota(length), end);
  }
  if (node.has(10)) mask = joined(*mask, score_bias(node.input(10), heads));
  options::Attention options{.scale = scale_of(node),
                             .softcap = softcap > 0 ? std::optional(softcap) : std::nullopt,
                             .sinks = node.optional_input(11)};
  if (smooth && !options.sinks) options.sinks = graph.full({count}, 0.0, {.dtype = heads.q.dtype()});
  node.set(0, attended(heads, mask, false, 0, options));
}

// ------------------------------------------------------------------------------------------------------ RotaryEmbedding

void rotary_embedding(Node& node, GraphBuilder& graph) {
  require_integer(node, "is_packed_batching", 0);
  if (const double scale = node.real("scale", 1.0); scale != 1)
    throw Unsupported(fmt::format("attribute scale is {}", scale));
  node.ignore("rotary_embedding_dim", "the tables say it");
  const bool interleaved = node.flag("interleaved", false), packed = node.rank(0) == 3;
  const int64_t named = node.integer("num_heads", 0);
  const Var cos = node.input(2), sin = node.input(3);
  Var x = node.input(0);
  if (packed) {
    const Dim count = named != 0 ? Dim(named) : quotient_of(x.dim(2), cos.dim(1) * 2);
    if (!count.is_literal()) throw Unsupported(fmt::format("the number of heads is {}", to_string(count)));
    x = split_heads(node, x, count.literal());
  }
  Var positions = node.input(1);
  if (positions.type().rank() == 1) positions = positions + as_dtype(graph.iota(x.dim(2)), positions.dtype());
  positions = broadcast_to(positions, {x.dim(0), x.dim(2)});
  const Var y = rotated(x, {cos, sin, positions, interleaved});
  node.set(0, packed ? merge_heads(y) : y);
}

constexpr std::string_view microsoft = "com.microsoft";

constexpr Handler rows[] = {
    {"Attention", 1, attention, microsoft},
    {"GroupQueryAttention", 1, group_query_attention, microsoft},
    {"MultiHeadAttention", 1, multi_head_attention, microsoft},
    {"QAttention", 1, quantized_attention, microsoft},
    {"RotaryEmbedding", 1, rotary_embedding, microsoft},
};

}  // namespace

std::span<const Handler> microsoft_attention_handlers() { return rows; }

}  // namespace ingot::onnx
