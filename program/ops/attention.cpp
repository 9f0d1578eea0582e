// Inference of attention, and what it means. Sizes by their usual letters: q [B,H,S,D], k [B,G,T,D], v [B,G,T,E].
#include <array>
#include <cmath>
#include <limits>

#include "program/decompose.h"
#include "program/infer.h"

namespace ingot {
namespace {

// H a multiple of G: both known, or the same.
void check_heads(const Scope& s, const Dim& h, const Dim& g) {
  if (equal(h, g) == Proof::yes) return;
  if (h.is_literal() && g.is_literal() && g.literal() > 0 && h.literal() % g.literal() == 0) return;
  s.refuse("number of heads of q", to_string(h), fmt::format("a multiple of {}, the heads of k", to_string(g)));
}

void check_scale(const Scope& s, const std::optional<double>& scale, const Dim& d) {
  if (scale && !std::isfinite(*scale)) s.refuse("scale", fmt::format("{}", *scale), "finite", Code::out_of_range);
  if (!scale && !(d.is_literal() && d.literal() > 0)) {
    s.refuse("scale", "absent", fmt::format("a number (1/sqrt(D) needs a literal D, and it is {})", to_string(d)));
  }
}

void check_window(const Scope& s, int64_t window, Causal causal) {
  if (window < 1) s.refuse("window", fmt::format("{}", window), "at least 1", Code::out_of_range);
  if (causal == Causal::none) {
    s.refuse("causal", "none", fmt::format("upper_left or lower_right (window is {})", window));
  }
}

void check_softcap(const Scope& s, double softcap) {
  if (std::isfinite(softcap) && softcap > 0) return;
  s.refuse("softcap", fmt::format("{}", softcap), "finite and more than 0", Code::out_of_range);
}

// x [B,G,T,D] with every head repeated for the heads of q that share it: [B,H,T,D]
Var repeated(GraphBuilder& graph, Var x, const Dim& h) {
  const Shape from = x.shape();
  const Dim &b = from[0], &g = from[1], &t = from[2], &d = from[3];
  if (equal(g, h) == Proof::yes) return x;
  const Dim times = h.literal() / g.literal();
  return graph.reshape(graph.broadcast(graph.reshape(x, {b, g, 1, t, d}), {b, g, times, t, d}), {b, h, t, d});
}

// bool[S,T]. The last key that query i sees is i, or i + T - S; key j is seen while 0 <= last - j < window.
Var causally_seen(GraphBuilder& graph, const op::Attention& op, const Dim& s, const Dim& t) {
  Var last = graph.reshape(graph.iota(s), {s, 1});
  if (op.causal == Causal::lower_right) {
    const Var keys = graph.size_of(t);
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
Var scores_of(GraphBuilder& graph, const op::Attention& op, Var q, Var k, const std::optional<Var>& mask) {
  const Dim s = q.dim(2), t = k.dim(2), d = q.dim(3);
  const double scale = op.scale ? *op.scale : 1 / std::sqrt(static_cast<double>(d.literal()));
  Var scores = graph.matmul(q, k, {.transpose_b = true}) * scale;
  if (op.softcap) scores = graph.tanh(scores / *op.softcap) * *op.softcap;
  if (mask) scores = mask->dtype() == DType::bool_ ? hidden_unless(graph, *mask, scores) : scores + *mask;
  if (op.causal != Causal::none) scores = hidden_unless(graph, causally_seen(graph, op, s, t), scores);
  return scores;
}

// softmax(scores)·v, and 0 for a row of -inf alone: it sees no key.
Var attended(GraphBuilder& graph, Var scores, Var v) {
  const DType dtype = scores.dtype();
  const Var zero = graph.scalar(0.0, dtype), one = graph.scalar(1.0, dtype);
  const Var top = graph.reduce_max(scores, {-1}, {.keepdims = true});
  const Var sees = graph.ne(top, graph.scalar(-std::numeric_limits<double>::infinity(), dtype));
  const Var powers = graph.exp(scores - graph.select(sees, top, zero));
  const Var sum = graph.reduce_sum(powers, {-1}, {.keepdims = true});
  return graph.select(sees, graph.matmul(powers / graph.select(sees, sum, one), v), zero);
}

}  // namespace

// [B,H,S,E]
static Types rule(const op::Attention& op, const Scope& s) {
  const TensorType &q = s.type(op.q), &k = s.type(op.k), &v = s.type(op.v);
  const DType dtype = promote_or_refuse(s, promote_or_refuse(s, q.dtype, k.dtype), v.dtype);
  require_kind(s, "dtype of q, k and v", dtype, kinds::real);
  require_count(s, "rank of q", q.shape.size(), 4, "[B, H, S, D]");
  require_same_sizes(s, "k", k.shape, q.shape, std::array<int64_t, 2>{1, 2}, "as q");
  require_same_sizes(s, "v", v.shape, k.shape, std::array<int64_t, 1>{3}, "as k");
  check_heads(s, q.shape[1], k.shape[1]);
  check_scale(s, op.scale, q.shape[3]);
  if (op.window) check_window(s, *op.window, op.causal);
  if (op.softcap) check_softcap(s, *op.softcap);
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
  const Var scores = scores_of(graph, op, promoted(q), keys, operands(op.mask));
  return {as_dtype(attended(graph, scores, values), dtype)};
}

INGOT_RULES(attention)
INGOT_EXPANSIONS(attention)

}  // namespace ingot
