// Attention, rotary embeddings and linear attention of the default domain.
#include "import/onnx/attention.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ------------------------------------------------------------------------------------------------------- Attention

struct Inputs {
  Var q, k, v;  // [B, H, S, D], [B, G, T, D], [B, G, T, E], the past in front
  bool packed;  // the file has them as [B, S, H·D]
  std::optional<Dim> past;
  std::optional<Var> lengths;
};

Inputs inputs_of(Node& node, GraphBuilder& graph) {
  Inputs in{node.input(0), node.input(1), node.input(2), node.rank(0) == 3, {}, node.optional_input(6)};
  if (in.packed) {
    in.q = split_heads(node, in.q, node.integer("q_num_heads"));
    in.k = split_heads(node, in.k, node.integer("kv_num_heads"));
    in.v = split_heads(node, in.v, node.integer("kv_num_heads"));
  } else {
    node.ignore("q_num_heads", "the shapes say it");
    node.ignore("kv_num_heads", "the shapes say it");
  }
  if (node.has(4) != node.has(5)) node.malformed("past_key and past_value", "one of them", "both or none");
  if (node.has(4)) {
    if (in.lengths) node.malformed("nonpad_kv_seqlen", "given with past_key", "one of them");
    const Var key = node.input(4), value = node.input(5);
    in.past = key.dim(2);
    in.k = graph.concatenate({key, ensure(in.k, {key.dim(0), key.dim(1), in.k.dim(2), key.dim(3)})}, {.axis = 2});
    in.v =
        graph.concatenate({value, ensure(in.v, {value.dim(0), value.dim(1), in.v.dim(2), value.dim(3)})}, {.axis = 2});
  }
  const Shape q = in.q.shape();
  if (q.size() == 4 && in.k.shape().size() == 4 && in.v.shape().size() == 4) {
    in.k = ensure(in.k, {q[0], in.k.dim(1), in.k.dim(2), q[3]});
    in.v = ensure(in.v, {q[0], in.k.dim(1), in.k.dim(2), in.v.dim(3)});
  }
  return in;
}

// The mask behind its end is unseen.
Var full_mask(Var mask, const Shape& scores) {
  const Dim& keys = scores.back();
  if (const int64_t rank = mask.type().rank(); rank > 0 && equal(mask.dim(-1), keys) != Proof::yes) {
    Shape before(static_cast<size_t>(rank), 0), after = before;
    after.back() = max(keys - mask.dim(-1), 0);
    const Scalar hidden =
        mask.dtype() == DType::bool_ ? Scalar(false) : Scalar(-std::numeric_limits<double>::infinity());
    mask = ensure_size(mask.graph().pad(mask, before, after, {.value = hidden}), rank - 1, keys);
  }
  return stretchable(mask, scores);
}

// What limits the keys that a query sees by its place.
struct Places {
  bool causal = false;
  std::optional<int64_t> left, right;
  bool any() const { return causal || left || right; }
};

Places places_of(Node& node) {
  const auto side = [&](std::string_view name) {
    const int64_t size = node.integer(name, -1);
    if (size < -1) node.malformed(name, fmt::format("{}", size), "-1 or more");
    return size < 0 ? std::nullopt : std::optional(size);
  };
  return {node.flag("is_causal", false), side("left_window_size"), side("right_window_size")};
}

// The number of keys before the first query.
std::optional<Var> offset_of(GraphBuilder& graph, const Inputs& in) {
  if (in.past) return graph.size_of(*in.past);
  if (!in.lengths) return std::nullopt;
  return as_dtype(*in.lengths, DType::i64) - graph.size_of(in.q.dim(2));
}

Var explicit_places(GraphBuilder& graph, const Inputs& in, const Places& places) {
  Reach reach{.offset = offset_of(graph, in), .left = places.left, .right = places.right};
  if (places.causal) reach.right = 0;
  return reachable(graph, reach, in.q.dim(2), in.k.dim(2));
}

// Whether Ingot's own alignment is that of the file: at the first key, at the last one, or at the lengths.
std::optional<Causal> causal_of(const Inputs& in, const Places& places) {
  if (!places.causal) return places.any() ? std::nullopt : std::optional(Causal::none);
  if (in.lengths) return Causal::lower_right;
  if (!in.past) return Causal::upper_left;
  const Dim fresh = in.k.dim(2) - *in.past;
  return equal(fresh, in.q.dim(2)) == Proof::yes ? std::optional(Causal::lower_right) : std::nullopt;
}

struct Scoring {
  double scale;
  std::optional<double> softcap;
  std::optional<Var> mask;  // everything, places and lengths included
};

// Keys or values, once for every head of q.
Var for_heads(Var x, const Dim& heads) {
  const Dim own = x.dim(1);
  return equal(heads, own) == Proof::yes ? x : x.graph().repeat(x, quotient_of(heads, own), {.axis = 1});
}

double scale_of(Node& node, Var q) {
  if (node.has("scale")) return node.real("scale");
  if (q.dim(-1).is_literal()) return 1 / std::sqrt(static_cast<double>(q.dim(-1).literal()));
  throw Unsupported(fmt::format("the scale depends on the size of a head, {}", to_string(q.dim(-1))));
}

// The fourth output: the scores after so many of the steps.
Var scores_after(GraphBuilder& graph, const Inputs& in, const Scoring& scoring, int64_t mode) {
  const DType dtype = widened(in.q.dtype());
  const Var k = for_heads(as_dtype(in.k, dtype), in.q.dim(1));
  Var scores = graph.matmul(as_dtype(in.q, dtype), k, {.transpose_b = true}) * scoring.scale;
  if (mode >= 1 && scoring.softcap) scores = graph.tanh(scores / *scoring.softcap) * *scoring.softcap;
  if (mode < 2 || !scoring.mask) return mode < 3 ? scores : graph.softmax(scores);
  const Var bias = additive(*scoring.mask, dtype);
  scores = scores + bias;
  if (mode == 2) return scores;
  const Var top = graph.reduce_max(bias, {-1}, {.keepdims = true});
  const Var sees = graph.ne(top, graph.scalar(-std::numeric_limits<double>::infinity(), dtype));
  return graph.select(sees, graph.softmax(scores), graph.scalar(0.0, dtype));
}

void attention(Node& node, GraphBuilder& graph) {
  const Places places = places_of(node);
  Inputs in = inputs_of(node, graph);
  const DType dtype = in.q.dtype();
  node.set(1, in.k);
  node.set(2, in.v);
  // Softmax is never narrower than f32; only a request for more changes something.
  if (node.has("softmax_precision") && node.dtype("softmax_precision") == DType::f64) {
    for (Var* x : {&in.q, &in.k, &in.v}) *x = as_dtype(*x, DType::f64);
  }
  const double softcap = node.real("softcap", 0.0);
  Scoring scoring{scale_of(node, in.q), softcap > 0 ? std::optional(softcap) : std::nullopt, node.optional_input(3)};
  const Shape scores{in.q.dim(0), in.q.dim(1), in.q.dim(2), in.k.dim(2)};
  if (scoring.mask) scoring.mask = full_mask(*scoring.mask, scores);
  if (in.lengths) in.lengths = ensure(*in.lengths, {in.q.dim(0)});

  const std::optional<Causal> causal = causal_of(in, places);
  std::optional<int64_t> window;
  if (causal && *causal != Causal::none && places.left) window = *places.left + 1;
  std::optional<Var> mask = scoring.mask;
  if (!causal) mask = joined(mask, explicit_places(graph, in, places));
  const Var y = graph.attention(in.q, in.k, in.v,
                                {.mask = mask,
                                 .scale = scoring.scale,
                                 .causal = causal.value_or(Causal::none),
                                 .window = window,
                                 .softcap = scoring.softcap,
                                 .lengths = in.lengths});
  node.set(0, as_dtype(in.packed ? merge_heads(y) : y, dtype));

  const int64_t mode = node.integer("qk_matmul_output_mode", 0);
  if (!node.wants(3)) return;
  if (mode < 0 || mode > 3) node.malformed("qk_matmul_output_mode", fmt::format("{}", mode), "0..3");
  if (places.any()) scoring.mask = joined(scoring.mask, explicit_places(graph, in, places));
  if (in.lengths) {
    const Var inside = graph.lt(graph.iota(in.k.dim(2)), as_dtype(unsqueeze(*in.lengths, {1, 2, 3}), DType::i64));
    scoring.mask = joined(scoring.mask, inside);
  }
  node.set(3, as_dtype(scores_after(graph, in, scoring, mode), dtype));
}

// --------------------------------------------------------------------------------------------------- FlexAttention

// Graphs of the file change the scores and the probabilities: each takes one tensor and returns one like it.
Var changed(Node& node, std::string_view name, Var x) {
  if (!node.has(name)) return x;
  const std::vector<Value> values = node.run(node.subgraph(name), {x}, node.body());
  if (values.size() != 1) node.malformed(name, fmt::format("{} outputs", values.size()), "one");
  return ensure(node.as_var(values[0]), Shape(x.shape()));
}

void flex_attention(Node& node, GraphBuilder& graph) {
  const Var q = node.input(0), k = node.input(1), v = node.input(2);
  const DType dtype = q.dtype(), inner = node.dtype("softmax_precision", dtype == DType::f64 ? dtype : DType::f32);
  const double scale = scale_of(node, q);
  const Dim heads = q.dim(1);
  const Var keys = for_heads(as_dtype(k, inner), heads);
  const Var scores = graph.matmul(as_dtype(q, inner), keys, {.transpose_b = true}) * scale;
  const Var weights = changed(node, "prob_mod", graph.softmax(changed(node, "score_mod", scores)));
  node.set(0, graph.matmul(as_dtype(weights, dtype), for_heads(v, heads)));
}

// -------------------------------------------------------------------------------------------------- RotaryEmbedding

void rotary_embedding(Node& node, GraphBuilder&) {
  const bool packed = node.rank(0) == 3, interleaved = node.flag("interleaved", false);
  const int64_t heads = node.integer("num_heads", 0), dims = node.integer("rotary_embedding_dim", 0);
  const Var x = packed ? split_heads(node, node.input(0), heads) : node.input(0);
  const Rotation rotation{node.input(1), node.input(2), node.optional_input(3), interleaved};
  const Dim wanted = dims != 0 ? Dim(dims) : x.dim(3);
  if (const Dim own = rotation.cos.dim(-1) * 2; equal(own, wanted) != Proof::yes) {
    node.malformed("the last axis of cos_cache", to_string(rotation.cos.dim(-1)), "half of " + to_string(wanted));
  }
  const Var y = rotated(x, rotation);
  node.set(0, packed ? merge_heads(y) : y);
}

// -------------------------------------------------------------------------------------------------- LinearAttention

// [B, T, G·n] as [B, G, T] where n is 1, else [B, G, T, n].
Var gate(const Node& node, Var x, int64_t heads) {
  if (equal(x.dim(-1), Dim(heads)) == Proof::yes) return x.graph().transpose(x, {0, 2, 1});
  return split_heads(node, x, heads);
}

void linear_attention(Node& node, GraphBuilder& graph) {
  node.ignore("chunk_size", "a hint for speed");
  const auto delta = node.choice<bool>("update_rule", "gated_delta",
                                       {{"linear", false}, {"gated", false}, {"delta", true}, {"gated_delta", true}});
  const int64_t heads = node.integer("q_num_heads"), own = node.integer("kv_num_heads");
  const double scale = node.real("scale", 0.0);
  const Var q = split_heads(node, node.input(0), heads), k = split_heads(node, node.input(1), own);
  const Var v = split_heads(node, node.input(2), own);
  std::optional<Var> decay = node.optional_input(4), beta = node.optional_input(5);
  const std::optional<Var> state = node.optional_input(3);
  if (decay) decay = gate(node, *decay, own);
  if (beta) beta = broadcast_to(graph.transpose(*beta, {0, 2, 1}), {k.dim(0), k.dim(1), k.dim(2)});
  const auto [y, last] = graph.gated_delta(q, k, v,
                                           {.g = decay,
                                            .beta = beta,
                                            .state = state,
                                            .scale = scale != 0 ? std::optional(scale) : std::nullopt,
                                            .delta = delta});
  node.set(0, as_dtype(merge_heads(y), q.dtype()));
  node.set(1, as_dtype(last, state ? state->dtype() : q.dtype()));
}

constexpr Handler rows[] = {
    {"Attention", 23, attention},
    {"LinearAttention", 27, linear_attention},
    {"RotaryEmbedding", 23, rotary_embedding},

    {"FlexAttention", 1, flex_attention, "ai.onnx.preview"},
};

}  // namespace

std::span<const Handler> attention_handlers() { return rows; }

}  // namespace ingot::onnx
