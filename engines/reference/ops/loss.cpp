// Losses. Everything in double, in index order; one rounding, at the store.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// Takes the losses one by one and stores them, their sum, or their sum over what they counted for.
class Reduction {
 public:
  Reduction(LossReduction reduction, Out<double> y) : reduction_(reduction), y_(std::move(y)) {}

  void add(int64_t i, double loss, double counts_for) {
    if (reduction_ == LossReduction::none) y_.store(i, loss);
    sum_ += loss;
    count_ += counts_for;
  }
  void finish() const {
    if (reduction_ == LossReduction::none) return;
    y_.store(0, reduction_ == LossReduction::mean ? sum_ / count_ : sum_);
  }

 private:
  LossReduction reduction_;
  Out<double> y_;
  double sum_ = 0, count_ = 0;
};

// ------------------------------------------------------------------------------------------------------ cross-entropy

// One row of logits: log softmax, class by class.
struct Row {
  const View<double>& logits;
  const Lanes& lanes;
  int64_t o, i;
  double shift = 0;  // max + log(Σ e^(x - max))

  Row(const View<double>& all, const Lanes& along, int64_t outer, int64_t inner)
      : logits(all), lanes(along), o(outer), i(inner) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t c = 0; c < lanes.size; ++c) top = larger(top, logit(c));
    for (int64_t c = 0; c < lanes.size; ++c) sum += std::exp(logit(c) - top);
    shift = top + std::log(sum);
  }

  double logit(int64_t c) const { return logits[lanes.at(o, c, i)]; }
  double log(int64_t c) const { return logit(c) - shift; }
};

// -Σ weight·share(c)·log(c)
template <class F>
double entropy(const Row& row, const View<double>& weight, F&& share) {
  double sum = 0;
  for (int64_t c = 0; c < row.lanes.size; ++c) sum -= weight[c] * share(c) * row.log(c);
  return sum;
}

// Each row counts as one.
void of_probabilities(const op::SoftmaxCrossEntropy& op, Frame& frame, const Lanes& lanes, Reduction& losses) {
  const auto logits = frame.in(op.logits), labels = frame.in(op.labels), weight = frame.in_or(op.weight, 1);
  const double even = op.smoothing / static_cast<double>(lanes.size);
  lanes.each([&](int64_t o, int64_t i) {
    const auto share = [&](int64_t c) { return labels[lanes.at(o, c, i)] * (1 - op.smoothing) + even; };
    losses.add(o * lanes.inner + i, entropy(Row(logits, lanes, o, i), weight, share), 1);
  });
}

// A label counts for the weight of its class, one that is ignored for nothing.
void of_classes(const op::SoftmaxCrossEntropy& op, Frame& frame, const Lanes& lanes, Reduction& losses) {
  const auto logits = frame.in(op.logits), weight = frame.in_or(op.weight, 1);
  const auto labels = frame.indices(op.labels);
  lanes.each([&](int64_t o, int64_t i) {
    const int64_t at = o * lanes.inner + i, label = labels[at];
    if (op.ignore && label == *op.ignore) return losses.add(at, 0, 0);
    if (label < 0 || label >= lanes.size) {
      throw Error(Code::out_of_range, fmt::format("label {} is outside {} classes", label, lanes.size));
    }
    const Row row(logits, lanes, o, i);
    double loss = -weight[label] * row.log(label);
    if (op.smoothing > 0) {
      const double even = entropy(row, weight, [](int64_t) { return 1.0; }) / static_cast<double>(lanes.size);
      loss = (1 - op.smoothing) * loss + op.smoothing * even;
    }
    losses.add(at, loss, weight[label]);
  });
}

// -------------------------------------------------------------------------------------------------------- elementwise

// |d| < delta ? d²/2 : delta·(|d| - delta/2)
double huber(double d, double delta) { return std::abs(d) < delta ? d * d / 2 : delta * (std::abs(d) - delta / 2); }

double bounded_log(double x) { return larger(std::log(x), -100.0); }

double loss_of(const op::Loss& op, double x, double y) {
  switch (op.fn) {
    case LossFn::mse: return (x - y) * (x - y);
    case LossFn::l1: return std::abs(x - y);
    case LossFn::huber: return huber(x - y, op.delta);
    case LossFn::smooth_l1: return huber(x - y, op.delta) / op.delta;
    case LossFn::bce: return (y - 1) * bounded_log(1 - x) - y * bounded_log(x);
    case LossFn::bce_logits: return larger(x, 0.0) - x * y + std::log1p(std::exp(-std::abs(x)));
    case LossFn::kl_div: return (y == 0 ? 0 : y * std::log(y)) - y * x;
    case LossFn::hinge: return larger(1 - x * y, 0.0);
  }
  return 0;
}

}  // namespace

// -Σ share·log softmax(logits): the shares are probabilities, or (1 - smoothing)·[c is the label] + smoothing / C
static void kernel(const op::SoftmaxCrossEntropy& op, Frame& frame) {
  const Sizes& sizes = frame.sizes(op.logits);
  const Lanes lanes(sizes, from_front(op.axis, sizes.size()));
  Reduction losses(op.reduction, frame.out());
  frame.spend(element_count(sizes), 2);
  kind(frame.dtype(op.labels)) == Kind::real ? of_probabilities(op, frame, lanes, losses)
                                             : of_classes(op, frame, lanes, losses);
  losses.finish();
}

// weight · fn(x, target)
static void kernel(const op::Loss& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const auto x = frame.in<double>(op.x, dtype), target = frame.in<double>(op.target, dtype);
  const auto weight = frame.in_or(op.weight, 1);
  Reduction losses(op.reduction, frame.out());
  frame.spend(x.size());
  const Sizes strides = op.weight ? broadcast_strides(weight.sizes(), x.sizes()) : Sizes(x.sizes().size());
  walk(x.sizes(), [&](int64_t i, int64_t at) { losses.add(i, weight[at] * loss_of(op, x[i], target[i]), 1); }, strides);
  losses.finish();
}

INGOT_KERNELS(loss)

}  // namespace ingot::reference
