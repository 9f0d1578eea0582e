// Losses. Those by element are chains of element-wise ops, which MLX has nothing better for.
#include <fmt/format.h>

#include "engines/mlx/cast.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/libm.h"
#include "engines/mlx/lowering.h"
#include "program/decompose.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// Probabilities as labels are expanded. With classes a label outside of them is refused as a label, not as an index.
bool is_native(const op::SoftmaxCrossEntropy& op, const Graph& graph) {
  return is_integer(graph.type(op.labels).dtype);
}

struct Labels {
  array classes;                // in range everywhere
  std::optional<array> counts;  // which of them are not ignored; none: all
};

Labels labels_of(const op::SoftmaxCrossEntropy& op, Frame& frame, int64_t classes) {
  const mx::Stream s = frame.stream();
  array given = as_i64(frame, frame.in(op.labels));
  std::optional<array> counts;
  if (op.ignore) {
    counts = mx::not_equal(given, number(*op.ignore, given), s);
    given = mx::where(*counts, given, number(0, given), s);
  }
  const auto refusal = [classes](int64_t, int64_t label) {
    return Error(Code::out_of_range, fmt::format("label {} is outside {} classes", label, classes));
  };
  return {require_within(frame, given, 0, classes - 1, refusal), counts};
}

// The losses of the rows, and what each counts for.
struct Rows {
  array losses, shares;
};

// weight[y]·-log p[y], and what smoothing mixes in: Σ weight[c]·-log p[c] / C.
Rows rows_of(const op::SoftmaxCrossEntropy& op, Frame& frame, const array& logits, const Labels& labels, int axis) {
  const mx::Stream s = frame.stream();
  const array shifted = mx::subtract(logits, mx::max(logits, axis, true, s), s);
  const array norm = mx::log(mx::sum(exp(shifted, s), axis, true, s), s);
  const array entry = mx::expand_dims(labels.classes, axis, s);
  const array logs = mx::subtract(norm, mx::take_along_axis(shifted, entry, axis, s), s);  // -log p[y]
  array losses = mx::squeeze(logs, axis, s), shares = mx::ones_like(losses, s);
  std::optional<array> weight;
  if (op.weight) {
    weight = mx::astype(frame.in(*op.weight), logits.dtype(), s);
    shares = mx::take(*weight, labels.classes, s);
    losses = mx::multiply(losses, shares, s);
  }
  if (op.smoothing > 0) {
    array all = mx::subtract(norm, shifted, s);
    if (weight) {
      mx::Shape column(logits.ndim() - static_cast<size_t>(axis), 1);
      column[0] = weight->shape(0);
      all = mx::multiply(all, mx::reshape(*weight, column, s), s);
    }
    const array even = mx::multiply(mx::sum(all, axis, false, s), number(op.smoothing / logits.shape(axis), all), s);
    losses = mx::add(mx::multiply(losses, number(1 - op.smoothing, losses), s), even, s);
  }
  if (labels.counts) {
    losses = mx::where(*labels.counts, losses, number(0, losses), s);
    shares = mx::where(*labels.counts, shares, number(0, shares), s);
  }
  return {losses, shares};
}

array emit(const op::SoftmaxCrossEntropy& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array logits = frame.in(op.logits, widened(frame.dtype(op.logits)));
  const int axis = from_front(op.axis, logits.ndim());
  const Labels labels = labels_of(op, frame, logits.shape(axis));
  // MLX has no maximum of nothing.
  const array none = mx::zeros(labels.classes.shape(), logits.dtype(), s);
  const auto [losses, shares] = logits.size() == 0 ? Rows{none, none} : rows_of(op, frame, logits, labels, axis);
  array y = losses;
  if (op.reduction != LossReduction::none) y = mx::sum(y, s);
  if (op.reduction == LossReduction::mean) y = mx::divide(y, mx::sum(shares, s), s);
  return mx::astype(y, to_mlx(frame.result_dtype()), s);
}

INGOT_EXPANDED(Loss)

}  // namespace

INGOT_LOWERINGS(loss)

}  // namespace ingot::mlx_engine
