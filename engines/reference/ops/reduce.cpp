// Reductions, and softmax. Reals in double, in index order, one rounding at the store; integers wrap around.
#include <cmath>
#include <limits>

#include "engines/reference/convert.h"
#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"

namespace ingot::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Some of the axes of a tensor.
struct Box {
  Sizes sizes, strides;
};

struct Split {
  Box kept, reduced;
};

Split split(const Sizes& sizes, const std::vector<int64_t>& axes) {
  const Sizes strides = strides_of(sizes);
  std::vector<bool> is_reduced(sizes.size());
  for (int64_t axis : axes) is_reduced[static_cast<size_t>(from_front(axis, sizes.size()))] = true;
  Split result;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    Box& box = is_reduced[axis] ? result.reduced : result.kept;
    box.sizes.push_back(sizes[axis]);
    box.strides.push_back(strides[axis]);
  }
  return result;
}

// The elements that one element of the result is made of.
template <class T>
struct Group {
  const View<T>& x;
  int64_t first;
  const Box& box;

  int64_t size() const { return element_count(box.sizes); }

  // f(…f(f(from, x0), x1)…)
  template <class F>
  T fold(T from, F f) const {
    walk(box.sizes, [&](int64_t, int64_t offset) { from = f(from, x[first + offset]); }, box.strides);
    return from;
  }
};

// log(Σ e^x), with the largest subtracted first where that is a number.
double logsumexp(const Group<double>& group) {
  const double largest = group.fold(-kInfinity, larger<double>), shift = std::isfinite(largest) ? largest : 0;
  return shift + std::log(group.fold(0, [&](double sum, double x) { return sum + std::exp(x - shift); }));
}

double reduce(ReduceFn fn, const Group<double>& group, DType) {
  switch (fn) {
    case ReduceFn::mean: return group.fold(0, add<double>) / static_cast<double>(group.size());
    case ReduceFn::prod: return group.fold(1, multiply<double>);
    case ReduceFn::max: return group.fold(-kInfinity, larger<double>);
    case ReduceFn::min: return group.fold(kInfinity, smaller<double>);
    case ReduceFn::logsumexp: return logsumexp(group);
    default: return group.fold(0, add<double>);
  }
}

Complex reduce(ReduceFn fn, const Group<Complex>& group, DType) {
  if (fn == ReduceFn::prod) return group.fold(1, multiply<Complex>);
  const Complex sum = group.fold(0, add<Complex>);
  return fn == ReduceFn::mean ? sum / static_cast<double>(group.size()) : sum;
}

bool reduce(ReduceFn fn, const Group<bool>& group, DType) {
  const bool any = fn == ReduceFn::any || fn == ReduceFn::max;
  return any ? group.fold(false, std::logical_or()) : group.fold(true, std::logical_and());
}

template <class T>
T reduce(ReduceFn fn, const Group<T>& group, DType dtype) {
  switch (fn) {
    case ReduceFn::prod: return group.fold(1, multiply<T>);
    case ReduceFn::max: return group.fold(extremes<T>(dtype).lowest, larger<T>);
    case ReduceFn::min: return group.fold(extremes<T>(dtype).highest, smaller<T>);
    default: return group.fold(0, add<T>);
  }
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_same_v<T, double>) return std::isnan(x);
  return false;
}

// Whether x comes before `best` as the extreme: the first NaN above all, then the larger or smaller, then by position.
template <class T>
bool beats(const op::ArgReduce& op, T x, T best) {
  if (is_nan(x) || is_nan(best)) return !is_nan(best);
  if (x == best) return op.last;
  return op.fn == ArgReduceFn::max ? x > best : x < best;
}

}  // namespace

static void kernel(const op::Reduce& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    const View<T> x = frame.in<T>(op.x, dtype);
    const Out<T> y = frame.out<T>();
    frame.spend(x.size());
    const Split axes = split(x.sizes(), op.axes);
    walk(
        axes.kept.sizes,
        [&](int64_t i, int64_t first) { y.store(i, reduce(op.fn, Group<T>{x, first, axes.reduced}, dtype)); },
        axes.kept.strides);
  });
}

static void kernel(const op::ArgReduce& op, Frame& frame) {
  with_domain(frame.dtype(op.x), [&]<class T>() {
    if constexpr (!std::is_same_v<T, Complex>) {
      const View<T> x = frame.in<T>(op.x);
      const Out<int64_t> y = frame.out<int64_t>();
      frame.spend(x.size());
      const Lanes lanes(x.sizes(), from_front(op.axis, x.sizes().size()));
      lanes.each([&](int64_t o, int64_t i) {
        int64_t best = 0;
        for (int64_t k = 1; k < lanes.size; ++k) {
          if (beats(op, x[lanes.at(o, k, i)], x[lanes.at(o, best, i)])) best = k;
        }
        y.store(o * lanes.inner + i, best);
      });
    }
  });
}

// e^(x - max) / Σ e^(x - max); log: x - max - log(Σ e^(x - max))
static void kernel(const op::Softmax& op, Frame& frame) {
  const View<double> x = frame.in(op.x);
  const Out<double> y = frame.out();
  frame.spend(x.size());
  const Lanes lanes(x.sizes(), from_front(op.axis, x.sizes().size()));
  lanes.each([&](int64_t o, int64_t i) {
    double largest = -kInfinity, sum = 0;
    for (int64_t k = 0; k < lanes.size; ++k) largest = larger(largest, x[lanes.at(o, k, i)]);
    for (int64_t k = 0; k < lanes.size; ++k) sum += std::exp(x[lanes.at(o, k, i)] - largest);
    for (int64_t k = 0; k < lanes.size; ++k) {
      const double shifted = x[lanes.at(o, k, i)] - largest;
      y.store(lanes.at(o, k, i), op.log ? shifted - std::log(sum) : std::exp(shifted) / sum);
    }
  });
}

INGOT_KERNELS(reduce)

}  // namespace ingot::reference
