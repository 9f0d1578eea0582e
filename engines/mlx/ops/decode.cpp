// What a decoder does between its layers. Numbers in f32, or f64; ties go to the lowest index, and NaN comes first.
#include <algorithm>
#include <limits>
#include <optional>

#include "engines/mlx/libm.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/ordering.h"
#include "engines/mlx/philox.h"

namespace ingot::mlx_engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

mx::Dtype wide(DType dtype) { return dtype == DType::f64 ? mx::float64 : mx::float32; }

// The first n of the last axis of [rows, …].
array first(const array& x, int n, mx::Stream s) { return mx::slice(x, {0, 0}, {x.shape(0), n}, s); }

// The places of a row's elements, the largest first.
array ranked(Frame& frame, const array& rows) { return sorted_order(frame, rows, 1, true); }

// ------------------------------------------------------------------------------------------------------------- sample

// logits / temperature below their largest, which is 0; so nothing overflows.
array tempered(const array& logits, double temperature, mx::Stream s) {
  // A quotient by infinity would bring an infinity back.
  const double most = logits.dtype() == mx::float64 ? temperature : std::numeric_limits<float>::max();
  const array divisor(std::min(temperature, most), logits.dtype());
  const array top = mx::max(logits, 1, true, s);
  const array below = mx::divide(mx::subtract(logits, top, s), divisor, s);
  return mx::where(mx::equal(logits, top, s), array(0, logits.dtype()), below, s);
}

// Gumbel noise for every element: -log(-log(u)), where a u of 0 counts as half of the next one, so that it is finite.
array noise(const array& key, const array& like, mx::Stream s) {
  const bool two = like.dtype() == mx::float64;
  const std::vector<array> words = random_words(key, static_cast<int64_t>(like.size()), two ? 2 : 1, s);
  const array u = two ? uniform_of(words[0], words[1], s) : uniform_of(words[0], s);
  const array least(two ? 0x1p-54 : 0x1p-25, like.dtype());
  const array fold = mx::negative(mx::log(mx::maximum(u, least, s), s), s);
  return mx::reshape(mx::negative(mx::log(fold, s), s), like.shape(), s);
}

// argmax, or argmax(logits / temperature + Gumbel noise) over the tokens that top_k, then top_p, then min_p leave
array emit(const op::Sample& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const mx::Shape shape = frame.result_shape();
  const int n = frame.in(op.logits).shape(-1);
  if (frame.in(op.logits).size() == 0) return mx::zeros(shape, mx::int64, s);
  frame.spend(frame.in(op.logits).size());
  const mx::Dtype dtype = wide(frame.dtype(op.logits));
  const array logits = mx::reshape(mx::astype(frame.in(op.logits), dtype, s), {-1, n}, s);
  const array greedy = mx::argmax(sort_key(frame, logits, false), 1, false, s);
  const auto as_tokens = [&](const array& rows) { return mx::reshape(mx::astype(rows, mx::int64, s), shape, s); };
  if (op.temperature == 0) return as_tokens(greedy);

  array scores = tempered(logits, op.temperature, s), noisy = mx::add(scores, noise(frame.in(op.key), scores, s), s);
  std::optional<array> order;  // what the columns of scores are, where that is no longer their number
  if (op.top_k || op.top_p < 1) {
    order = first(ranked(frame, logits), static_cast<int>(op.top_k.value_or(n)), s);
    scores = mx::take_along_axis(scores, *order, 1, s);
    noisy = mx::take_along_axis(noisy, *order, 1, s);
  }
  const array never(-kInfinity, dtype), power = exp(scores, s);
  if (op.top_p < 1) {
    const array enough = mx::multiply(mx::sum(power, 1, true, s), array(op.top_p, dtype), s);
    const array before = mx::cumsum(power, 1, false, false, s);
    noisy = mx::where(mx::less(before, enough, s), noisy, never, s);
  }
  if (op.min_p > 0) noisy = mx::where(mx::less(power, array(op.min_p, dtype), s), never, noisy, s);
  array drawn = mx::argmax(noisy, 1, true, s);
  if (order) drawn = mx::take_along_axis(*order, drawn, 1, s);
  const array has_nan = mx::any(mx::isnan(logits, s), 1, false, s);
  return as_tokens(mx::where(has_nan, greedy, mx::squeeze(drawn, 1, s), s));
}

// ---------------------------------------------------------------------------------------------------------------- moe

array scores_of(RouterFn fn, const array& logits, mx::Stream s) {
  if (fn == RouterFn::sigmoid) return sigmoid(logits, s);
  if (logits.dtype() == mx::float32) return mx::softmax(logits, 1, true, s);
  // MLX takes f64 through f32 there.
  const array powers = exp(mx::subtract(logits, mx::max(logits, 1, true, s), s), s);
  return mx::divide(powers, mx::sum(powers, 1, true, s), s);
}

// Which groups of neighbours take part, as a bool for each of their experts.
array in_best_groups(Frame& frame, const op::MoeRoute& op, const array& choice) {
  const mx::Stream s = frame.stream();
  const int rows = choice.shape(0), n = choice.shape(1), groups = static_cast<int>(op.groups), size = n / groups;
  // The sum of the two best scores of a group, or of one; NaN is the best of all.
  const array sorted = mx::sort(mx::reshape(choice, {rows, groups, size}, s), 2, s);
  const array best = mx::slice(sorted, {0, 0, std::max(size - 2, 0)}, {rows, groups, size}, s);
  const array order = first(ranked(frame, mx::sum(best, 2, false, s)), static_cast<int>(op.top_groups), s);
  const array part =
      mx::put_along_axis(mx::zeros({rows, groups}, mx::bool_, s), order, mx::ones(order.shape(), mx::bool_, s), 1, s);
  const array each = mx::broadcast_to(mx::expand_dims(part, 2, s), {rows, groups, size}, s);
  return mx::reshape(each, {rows, n}, s);
}

// The k best of score + bias among the best groups; weights are their scores, which `normalize` divides by their sum
std::vector<array> emit(const op::MoeRoute& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const mx::Shape shape = frame.result_shape();
  const mx::Dtype result = to_mlx(frame.result_dtype());
  if (shape[0] == 0) return {mx::zeros(shape, result, s), mx::zeros(shape, mx::int64, s)};
  frame.spend(frame.in(op.logits).size());
  const bool has_f64 = op.bias && frame.dtype(*op.bias) == DType::f64;
  const mx::Dtype dtype = has_f64 ? mx::float64 : wide(frame.dtype(op.logits));
  const array logits = mx::astype(frame.in(op.logits), dtype, s);
  const array scores = scores_of(op.fn, logits, s);
  const array choice = op.bias ? mx::add(scores, mx::astype(frame.in(*op.bias), dtype, s), s) : scores;
  array key = sort_key(frame, choice, true);
  if (op.top_groups < op.groups) {
    // No number has the largest of all keys.
    const array behind(std::numeric_limits<int64_t>::max() >> (dtype == mx::float64 ? 0 : 32), key.dtype());
    key = mx::where(in_best_groups(frame, op, choice), key, behind, s);
  }
  const array experts = first(mx::argsort(key, 1, s), shape[1], s);
  array weights = mx::take_along_axis(scores, experts, 1, s);
  if (op.normalize) {
    const array sum = mx::sum(weights, 1, true, s), zero(0, dtype);
    weights = mx::where(mx::not_equal(sum, zero, s), mx::divide(weights, sum, s), weights, s);
  }
  weights = mx::multiply(weights, array(op.scale, dtype), s);
  return {mx::astype(weights, result, s), mx::astype(experts, mx::int64, s)};
}

INGOT_EXPANDED(MoeCombine)

}  // namespace

INGOT_LOWERINGS(decode)

}  // namespace ingot::mlx_engine
