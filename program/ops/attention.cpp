// Inference of attention and rotary embeddings, and what they mean. Sizes by their usual letters: q [B,H,S,D], k [B,G,T,D],
// v [B,G,T,E].
#include <array>
#include <cmath>
#include <limits>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/heads.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

void check_scale(const Scope& s, const std::optional<double>& scale, const Dim& d) {
  if (scale) require_finite(s, "scale", *scale);
  if (!scale && !(d.is_literal() && d.literal() > 0)) {
    s.refuse("scale", "absent", fmt::format("a number (1/sqrt(D) needs a literal D, and it is {})", to_string(d)));
  }
}

DType common_dtype(const Scope& s, const TensorType& q, const TensorType& k, const TensorType& v) {
  const DType dtype = promote_or_refuse(s, promote_or_refuse(s, q.dtype, k.dtype), v.dtype);
  require_kind(s, "dtype of q, k and v", dtype, kinds::real);
  return dtype;
}

void check_window(const Scope& s, int64_t window, bool causal, std::string_view actual, std::string_view expected) {
  if (window < 1) s.refuse("window", fmt::format("{}", window), "at least 1", Code::out_of_range);
  if (!causal) s.refuse("causal", std::string(actual), fmt::format("{} (window is {})", expected, window));
}

void check_sinks(const Scope& s, const TensorType& sinks, const Dim& heads) {
  require_kind(s, "sinks", sinks.dtype, kinds::real);
  require_type(s, "sinks", sinks, {sinks.dtype, {heads}, {}}, "the heads of q");
}

void check_integers(const Scope& s, std::string_view subject, const TensorType& type, const Shape& shape) {
  require_kind(s, subject, type.dtype, kinds::integer);
  require_type(s, subject, type, {type.dtype, shape, {}}, "the batches of q");
}

// x [B,G,T,D] with every head repeated for the heads of q that share it: [B,H,T,D]
Var repeated(GraphBuilder& graph, Var x, const Dim& h) {
  const Shape from = x.shape();
  const Dim &b = from[0], &g = from[1], &t = from[2], &d = from[3];
  if (equal(g, h) == Proof::yes) return x;
  const Dim times = h.literal() / g.literal();
  return graph.reshape(graph.broadcast(graph.reshape(x, {b, g, 1, t, d}), {b, g, times, t, d}), {b, h, t, d});
}

// i64[B,1,1,1]; reading a table of 0 … T fails the call for every other length.
Var checked_lengths(GraphBuilder& graph, Var lengths, const Dim& t) {
  const Var known = graph.take(graph.iota(t + 1), as_dtype(lengths, DType::u64));
  return graph.reshape(known, {lengths.dim(0), 1, 1, 1});
}

// bool, to [B,H,S,T]. The last key that query i sees is i, or i + length - S; key j is seen while 0 <= last - j < window.
Var causally_seen(GraphBuilder& graph, const op::Attention& op, const Dim& s, const Dim& t,
                  const std::optional<Var>& lengths) {
  Var last = graph.reshape(graph.iota(s), {s, 1});
  if (op.causal == Causal::lower_right) {
    const Var keys = lengths ? *lengths : graph.size_of(t);
    last = last + (keys - graph.size_of(s));
  }
  const Var distance = last - graph.iota(t);
  const Var seen = graph.ge(distance, graph.scalar(0, DType::i64));
  if (!op.window) return seen;
  return graph.logical_and(seen, graph.lt(distance, graph.scalar(*op.window, DType::i64)));
}

// -inf where `seen` is false.
Var hidden_unless(GraphBuilder& graph, Var seen, Var scores) {
  return graph.select(seen, scores, graph.scalar(-std::numeric_limits<double>::infinity(), scores.dtype()));
}

// q·kᵀ scaled, capped, masked: [B,H,S,T]
Var scores_of(GraphBuilder& graph, const op::Attention& op, Var q, Var k, const Operands& operands) {
  const Dim s = q.dim(2), t = k.dim(2), d = q.dim(3);
  const double scale = op.scale ? *op.scale : 1 / std::sqrt(static_cast<double>(d.literal()));
  const auto mask = operands(op.mask);
  std::optional<Var> lengths;
  if (op.lengths) lengths = checked_lengths(graph, operands(*op.lengths), t);
  Var scores = graph.matmul(q, k, {.transpose_b = true}) * scale;
  if (op.softcap) scores = graph.tanh(scores / *op.softcap) * *op.softcap;
  if (mask) scores = mask->dtype() == DType::bool_ ? hidden_unless(graph, *mask, scores) : scores + *mask;
  if (lengths) scores = hidden_unless(graph, graph.lt(graph.iota(t), *lengths), scores);
  if (op.causal != Causal::none) scores = hidden_unless(graph, causally_seen(graph, op, s, t, lengths), scores);
  return scores;
}

// softmax(scores)·v, where the sinks [H] take their share; 0 for a row of -inf alone: it sees no key.
Var attended(GraphBuilder& graph, Var scores, Var v, const std::optional<Var>& sinks) {
  const DType dtype = scores.dtype();
  const Var zero = graph.scalar(0.0, dtype), one = graph.scalar(1.0, dtype);
  const Var top = graph.reduce_max(scores, {-1}, {.keepdims = true});
  const Var sees = graph.ne(top, graph.scalar(-std::numeric_limits<double>::infinity(), dtype));
  Var shift = graph.select(sees, top, zero);
  std::optional<Var> sink;
  if (sinks) {
    sink = graph.reshape(*sinks, {sinks->dim(0), 1, 1});
    shift = graph.max(shift, *sink);
  }
  const Var powers = graph.exp(scores - shift);
  Var sum = graph.reduce_sum(powers, {-1}, {.keepdims = true});
  if (sink) sum = sum + graph.exp(*sink - shift);
  return graph.select(sees, graph.matmul(powers / graph.select(sees, sum, one), v), zero);
}

// ------------------------------------------------------------------------------------------------------------- rope

// How many elements of a row are turned. Precondition: dims, or a literal size.
int64_t turned_dims(const op::Rope& op, const Dim& last) { return op.dims ? *op.dims : last.literal(); }

void check_dims(const Scope& s, const op::Rope& op, const Dim& last) {
  if (!op.dims && !last.is_literal()) {
    s.refuse("dims", "absent", fmt::format("a number (the last axis of x is {})", to_string(last)));
  }
  const int64_t dims = turned_dims(op, last);
  if (dims < 0 || dims % 2 != 0) s.refuse("dims", fmt::format("{}", dims), "even and at least 0", Code::out_of_range);
  require_at_most(s, "dims", dims, last);
}

void check_sections(const Scope& s, std::span<const int64_t> sections, int64_t pairs) {
  int64_t left = pairs;
  for (int64_t section : sections) {
    if (section < 0 || section > left) left = -1;
    if (left < 0) break;
    left -= section;
  }
  if (left == 0) return;
  s.refuse("sections", fmt::format("[{}]", fmt::join(sections, ", ")),
           fmt::format("sizes that sum to {}, the pairs of x", pairs), Code::out_of_range);
}

void check_freqs(const Scope& s, const op::Rope& op, int64_t pairs) {
  require_positive(s, "base", op.base);
  if (!op.freqs) return;
  const TensorType& freqs = s.type(*op.freqs);
  require_kind(s, "freqs", freqs.dtype, kinds::real);
  require_type(s, "freqs", freqs, {freqs.dtype, {pairs}, {}}, "the pairs of x");
  if (op.base != op::Rope{}.base) s.refuse("base", fmt::format("{}", op.base), "none (freqs are given)");
}

// The rows of a tensor: every axis but the last.
Shape without_last(const Shape& shape) { return {shape.begin(), shape.end() - 1}; }

// base^(-2i/dims)
Var frequencies(GraphBuilder& graph, double base, int64_t dims, DType dtype) {
  const Var exponents = graph.iota(dims / 2, {.dtype = dtype}) * (-2 / static_cast<double>(dims));
  return graph.pow(graph.scalar(base, dtype), exponents);
}

// positions[…, 1] · freqs
Var angles(GraphBuilder& graph, Var positions, Var freqs) {
  Shape column = positions.shape();
  column.emplace_back(1);
  return graph.reshape(positions, std::move(column)) * freqs;
}

// The same where each section of freqs has an entry of positions.
Var angles(GraphBuilder& graph, Var positions, Var freqs, std::span<const int64_t> sections) {
  const Shape rest(positions.shape().begin() + 1, positions.shape().end());
  std::vector<Var> parts;
  for (int64_t start = 0, entry = 0; int64_t section : sections) {
    const Var own = graph.reshape(graph.slice(positions, {0}, {entry}, {entry + 1}), rest);
    parts.push_back(angles(graph, own, graph.slice(freqs, {0}, {start}, {start + section})));
    start += section;
    ++entry;
  }
  return graph.concatenate(parts, {.axis = -1});
}

// x with the pairs of its first elements turned: (a·cos - b·sin, b·cos + a·sin)
Var turn(GraphBuilder& graph, Var x, Var cos, Var sin, const Dim& pairs, bool interleaved) {
  const Dim dims = pairs * 2, last = x.dim(-1);
  const int64_t of_pair = interleaved ? -1 : -2;  // the axis of the two, once they have one
  Shape row = x.shape(), half = row, both = row;
  row.back() = dims;
  half.back() = pairs;
  both.back() = interleaved ? pairs : 2;
  both.push_back(interleaved ? 2 : pairs);
  Shape one = both;
  one.end()[of_pair] = 1;
  const Var split = graph.reshape(graph.slice(x, {-1}, {0}, {dims}), both);
  const Var a = graph.reshape(graph.slice(split, {of_pair}, {0}, {1}), half);
  const Var b = graph.reshape(graph.slice(split, {of_pair}, {1}, {2}), half);
  const Var left = graph.reshape(a * cos - b * sin, one), right = graph.reshape(b * cos + a * sin, one);
  const Var turned = graph.reshape(graph.concatenate({left, right}, {.axis = of_pair}), row);
  if (equal(dims, last) == Proof::yes) return turned;
  return graph.concatenate({turned, graph.slice(x, {-1}, {dims}, {last})}, {.axis = -1});
}

}  // namespace

// [B,H,S,E]
static Types rule(const op::Attention& op, const Scope& s) {
  const TensorType &q = s.type(op.q), &k = s.type(op.k), &v = s.type(op.v);
  const DType dtype = common_dtype(s, q, k, v);
  require_count(s, "rank of q", q.shape.size(), 4, "[B, H, S, D]");
  require_same_sizes(s, "k", k.shape, q.shape, std::array<int64_t, 2>{1, 2}, "as q");
  require_same_sizes(s, "v", v.shape, k.shape, std::array<int64_t, 1>{3}, "as k");
  check_heads(s, q.shape[1], k.shape[1]);
  check_scale(s, op.scale, q.shape[3]);
  if (op.window) {
    check_window(s, *op.window, op.causal != Causal::none, to_string(op.causal), "upper_left or lower_right");
  }
  if (op.softcap) require_positive(s, "softcap", *op.softcap);
  if (op.sinks) check_sinks(s, s.type(*op.sinks), q.shape[1]);
  if (op.lengths) check_integers(s, "lengths", s.type(*op.lengths), {q.shape[0]});
  if (op.mask) {
    require_kind(s, "mask", s.type(*op.mask).dtype, kinds::boolean | kinds::real);
    require_broadcast(s, "mask", s.type(*op.mask).shape, {q.shape[0], q.shape[1], q.shape[2], k.shape[2]});
  }
  return {{dtype, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]}, {}}};
}

static std::vector<Var> expand(const op::Attention& op, GraphBuilder& graph, const Operands& operands) {
  const Var q = operands(op.q), k = operands(op.k), v = operands(op.v);
  const DType dtype = *promote(*promote(q.dtype(), k.dtype()), v.dtype()), wide = widened(dtype);
  // An integer is rounded to the dtype of the others before it is widened.
  const auto promoted = [&](Var x) { return as_dtype(as_dtype(x, dtype), wide); };
  const Dim h = q.dim(1);
  const Var keys = repeated(graph, promoted(k), h), values = repeated(graph, promoted(v), h);
  const Var scores = scores_of(graph, op, promoted(q), keys, operands);
  return {as_dtype(attended(graph, scores, values, operands(op.sinks)), dtype)};
}

// [B,H,S,E]
static Types rule(const op::PagedAttention& op, const Scope& s) {
  const TensorType &q = s.type(op.q), &k = s.type(op.k), &v = s.type(op.v), &table = s.type(op.table);
  const DType dtype = common_dtype(s, q, k, v);
  require_count(s, "rank of q", q.shape.size(), 4, "[B, H, S, D]");
  require_count(s, "rank of k", k.shape.size(), 4, "[P, page, G, D]");
  require_equal(s, "axis 3 of k", k.shape[3], q.shape[3], "as q");
  require_same_sizes(s, "v", v.shape, k.shape, std::array<int64_t, 1>{3}, "as k");
  check_heads(s, q.shape[1], k.shape[2]);
  require_count(s, "rank of table", table.shape.size(), 2, "[B, pages]");
  check_integers(s, "table", table, {q.shape[0], table.shape[1]});
  check_integers(s, "lengths", s.type(op.lengths), {q.shape[0]});
  check_scale(s, op.scale, q.shape[3]);
  if (op.window) check_window(s, *op.window, op.causal, "false", "true");
  if (op.softcap) require_positive(s, "softcap", *op.softcap);
  if (op.sinks) check_sinks(s, s.type(*op.sinks), q.shape[1]);
  return {{dtype, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]}, {}}};
}

static Types rule(const op::Rope& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &positions = s.type(op.positions);
  require_kind(s, "x", x.dtype, kinds::real);
  require_kind(s, "positions", positions.dtype, kinds::integer | kinds::real);
  if (x.rank() < 1) s.refuse("x", to_string(x), "rank 1 or more");
  check_dims(s, op, x.shape.back());
  const int64_t pairs = turned_dims(op, x.shape.back()) / 2;
  check_freqs(s, op, pairs);
  require_finite(s, "scale", op.scale);
  if (op.sections.empty()) {
    require_broadcast(s, "positions", positions.shape, without_last(x.shape));
    return {x};
  }
  check_sections(s, op.sections, pairs);
  if (positions.rank() < 1) s.refuse("positions", to_string(positions), "rank 1 or more (sections are given)");
  require_equal(s, "axis 0 of positions", positions.shape[0], static_cast<int64_t>(op.sections.size()),
                "the number of sections");
  require_broadcast(s, "shape of one entry of positions", {positions.shape.begin() + 1, positions.shape.end()},
                    without_last(x.shape));
  return {x};
}

// (a, b) becomes (a·cos - b·sin, b·cos + a·sin) of the angle position·scale·freqs[i]
static std::vector<Var> expand(const op::Rope& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), given = operands(op.positions);
  const DType wide = widened(x.dtype());
  const int64_t dims = turned_dims(op, x.dim(-1));
  const Var positions = as_dtype(given, is_real(given.dtype()) ? widened(given.dtype()) : wide);
  const auto freqs = operands(op.freqs);
  const Var steps = (freqs ? as_dtype(*freqs, widened(freqs->dtype())) : frequencies(graph, op.base, dims, wide));
  const Var angle =
      (op.sections.empty() ? angles(graph, positions, steps) : angles(graph, positions, steps, op.sections)) * op.scale;
  const Var cos = as_dtype(graph.cos(angle), wide), sin = as_dtype(graph.sin(angle), wide);
  return {as_dtype(turn(graph, as_dtype(x, wide), cos, sin, dims / 2, op.interleaved), x.dtype())};
}

static Types rule(const op::RopeTable& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &cos = s.type(op.cos), &sin = s.type(op.sin);
  require_kind(s, "x", x.dtype, kinds::real);
  if (x.rank() < 1) s.refuse("x", to_string(x), "rank 1 or more");
  for (const auto& [subject, table] : {std::pair("cos", &cos), std::pair("sin", &sin)}) {
    require_kind(s, subject, table->dtype, kinds::real);
    if (table->rank() < 1) s.refuse(subject, to_string(*table), "rank 1 or more");
    require_broadcast(s, fmt::format("shape of {} without its last axis", subject), without_last(table->shape),
                      without_last(x.shape));
  }
  require_equal(s, "last axis of sin", sin.shape.back(), cos.shape.back(), "as cos");
  require_at_most(s, "twice the last axis of cos", cos.shape.back() * 2, x.shape.back());
  return {x};
}

// (a, b) becomes (a·cos - b·sin, b·cos + a·sin)
static std::vector<Var> expand(const op::RopeTable& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), cos = operands(op.cos), sin = operands(op.sin);
  const DType wide = widened(x.dtype());
  const Var y = turn(graph, as_dtype(x, wide), as_dtype(cos, wide), as_dtype(sin, wide), cos.dim(-1), op.interleaved);
  return {as_dtype(y, x.dtype())};
}

INGOT_RULES(attention)
INGOT_EXPANSIONS(attention)

}  // namespace ingot
