// Reductions, and softmax. Reals in double, in index order, one rounding at the store; integers wrap around.
#include <cmath>
#include <limits>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/split.h"
#include "engines/reference/walk.h"

namespace ingot::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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

double mean(const Group<double>& group) { return group.fold(0, add<double>) / static_cast<double>(group.size()); }

// Σ(x - mean)² / (n - ddof): the mean first, since the difference of two large sums has few digits. Without an element
// more than ddof there is nothing to divide by.
double variance(const Group<double>& group, double ddof) {
  const double centre = mean(group), divisor = std::fmax(static_cast<double>(group.size()) - ddof, 0);
  return group.fold(0, [&](double sum, double x) { return sum + (x - centre) * (x - centre); }) / divisor;
}

double reduce(const op::Reduce& op, const Group<double>& group, DType) {
  switch (op.fn) {
    case ReduceFn::mean: return mean(group);
    case ReduceFn::var: return variance(group, op.ddof);
    case ReduceFn::std: return std::sqrt(variance(group, op.ddof));
    case ReduceFn::prod: return group.fold(1, multiply<double>);
    case ReduceFn::max: return group.fold(-kInfinity, larger<double>);
    case ReduceFn::min: return group.fold(kInfinity, smaller<double>);
    case ReduceFn::logsumexp: return logsumexp(group);
    default: return group.fold(0, add<double>);
  }
}

Complex reduce(const op::Reduce& op, const Group<Complex>& group, DType) {
  if (op.fn == ReduceFn::prod) return group.fold(1, multiply<Complex>);
  const Complex sum = group.fold(0, add<Complex>);
  return op.fn == ReduceFn::mean ? sum / static_cast<double>(group.size()) : sum;
}

bool reduce(const op::Reduce& op, const Group<bool>& group, DType) {
  const bool any = op.fn == ReduceFn::any || op.fn == ReduceFn::max;
  return any ? group.fold(false, std::logical_or()) : group.fold(true, std::logical_and());
}

template <class T>
T reduce(const op::Reduce& op, const Group<T>& group, DType dtype) {
  switch (op.fn) {
    case ReduceFn::prod: return group.fold(1, multiply<T>);
    case ReduceFn::max: return group.fold(extremes<T>(dtype).lowest, larger<T>);
    case ReduceFn::min: return group.fold(extremes<T>(dtype).highest, smaller<T>);
    default: return group.fold(0, add<T>);
  }
}

// Whether x comes before `best` as the extreme: the first NaN above all, then the larger or smaller, then by position.
template <class T>
bool beats(const op::ArgReduce& op, T x, T best) {
  if (is_nan(x) || is_nan(best)) return !is_nan(best);
  if (x == best) return op.last;
  return op.fn == ArgReduceFn::max ? x > best : x < best;
}

// What cumulation begins with: the reduction of nothing.
template <class T>
T identity(CumulateFn fn, DType dtype) {
  switch (fn) {
    case CumulateFn::sum: return T{0};
    case CumulateFn::prod: return T{1};
    default: break;
  }
  if constexpr (!std::is_same_v<T, Complex>) {
    return fn == CumulateFn::min ? bounds<T>(dtype).highest : bounds<T>(dtype).lowest;  // logsumexp: -inf
  }
  return T{};
}

template <class T>
T accumulate(CumulateFn fn, T sum, T x) {
  if constexpr (!std::is_same_v<T, Complex>) {
    if (fn == CumulateFn::max) return larger(sum, x);
    if (fn == CumulateFn::min) return smaller(sum, x);
  }
  if constexpr (std::is_same_v<T, double>) {
    if (fn == CumulateFn::logsumexp) return logaddexp(sum, x);
  }
  return fn == CumulateFn::prod ? multiply(sum, x) : add(sum, x);
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
        [&](int64_t i, int64_t first) { y.store(i, reduce(op, Group<T>{x, first, axes.reduced}, dtype)); },
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

// y[k] = fn(x[0] … x[k]), or before x[k] goes in where exclusive
static void kernel(const op::Cumulate& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    const View<T> x = frame.in<T>(op.x, dtype);
    const Out<T> y = frame.out<T>();
    const Lanes lanes(x.sizes(), from_front(op.axis, x.sizes().size()));
    lanes.each([&](int64_t o, int64_t i) {
      T sum = identity<T>(op.fn, dtype);
      for (int64_t step = 0; step < lanes.size; ++step) {
        const int64_t at = lanes.at(o, op.reverse ? lanes.size - 1 - step : step, i);
        const T before = sum;
        sum = accumulate(op.fn, sum, x[at]);
        y.store(at, op.exclusive ? before : sum);
      }
    });
  });
}

INGOT_KERNELS(reduce)

}  // namespace ingot::reference
