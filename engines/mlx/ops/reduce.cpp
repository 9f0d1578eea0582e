// Reductions, cumulations and softmax. f16 and bf16 accumulate in f32 and are rounded once, at the end.
#include <cmath>
#include <limits>

#include "engines/mlx/cast.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/libm.h"
#include "engines/mlx/lowering.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The end of a dtype's range that every max, or min, goes beyond.
array extreme(DType dtype, bool lowest) {
  const mx::Dtype type = to_mlx(dtype);
  if (dtype == DType::bool_) return array(!lowest);
  if (is_real(dtype)) return array(lowest ? -kInfinity : kInfinity, type);
  const mx::iinfo range(type);
  return lowest ? array(range.min, type) : array(range.max, type);
}

double divisor(const op::Reduce& op, size_t count) { return std::fmax(static_cast<double>(count) - op.ddof, 0); }

// The reduction of nothing.
array identity(const op::Reduce& op, DType dtype) {
  const auto of = [&](double value) { return array(value, to_mlx(dtype)); };
  switch (op.fn) {
    case ReduceFn::sum: return of(0);
    case ReduceFn::prod: return of(1);
    case ReduceFn::any: return array(false);
    case ReduceFn::all: return array(true);
    case ReduceFn::max: return extreme(dtype, true);
    case ReduceFn::min: return extreme(dtype, false);
    case ReduceFn::mean: return dtype == DType::c64 ? array(mx::complex64_t(kNan, kNan)) : of(kNan);
    case ReduceFn::logsumexp: return of(-kInfinity);
    case ReduceFn::var: return of(0 / divisor(op, 0));
    case ReduceFn::std: return of(std::sqrt(0 / divisor(op, 0)));
  }
  throw std::logic_error("unknown reduction");
}

// One reduction: what it takes along.
struct Reduction {
  const op::Reduce& op;
  std::vector<int> axes;
  size_t count;  // of the elements that make one of the result
  mx::Stream s;

  array sum(const array& x, bool keepdims) const { return mx::sum(x, axes, keepdims, s); }

  array mean(const array& x, bool keepdims) const {
    const array total = sum(x, keepdims);
    if (x.dtype() != mx::complex64) return mx::divide(total, number(static_cast<double>(count), x), s);
    // Part by part: a complex divisor makes NaN of an infinity.
    const array n(static_cast<float>(count));
    return complex_of(mx::divide(mx::real(total, s), n, s), mx::divide(mx::imag(total, s), n, s), s);
  }

  array centred(const array& x) const { return mx::subtract(x, mean(x, true), s); }

  // Of numbers whose mean is 0.
  array variance(const array& x, bool keepdims) const {
    return mx::divide(sum(mx::square(x, s), keepdims), number(divisor(op, count), x), s);
  }

  // The root of the variance of x / max |x| where that is a number, so that no square is out of range.
  array deviation(const array& x) const {
    const array largest = mx::max(mx::abs(x, s), axes, true, s);
    const array usable = mx::logical_and(mx::greater(largest, number(0, x), s), mx::isfinite(largest, s), s);
    const array unit = mx::where(usable, largest, number(1, x), s);
    const array root = mx::multiply(unit, mx::sqrt(variance(mx::divide(x, unit, s), true), s), s);
    return op.keepdims ? root : mx::squeeze(root, axes, s);
  }

  // MLX's own takes e^x of f64 in f32, and on a GPU it does not see a NaN beside an infinity.
  array logsumexp(const array& x) const {
    if (x.dtype() != mx::float64) {
      array y = mx::logsumexp(x, axes, op.keepdims, s);
      if (s.device == mx::Device::cpu) return y;
      return mx::where(mx::any(mx::isnan(x, s), axes, op.keepdims, s), number(kNan, x), y, s);
    }
    const array largest = mx::max(x, axes, true, s);
    const array shift = mx::where(mx::isfinite(largest, s), largest, number(0, x), s);
    const array sums = sum(exp(mx::subtract(x, shift, s), s), true);
    const array result = mx::add(shift, mx::log(sums, s), s);
    return op.keepdims ? result : mx::squeeze(result, axes, s);
  }

  array operator()(const array& x) const {
    switch (op.fn) {
      case ReduceFn::sum: return sum(x, op.keepdims);
      case ReduceFn::prod: return mx::prod(x, axes, op.keepdims, s);
      case ReduceFn::any: return mx::any(x, axes, op.keepdims, s);
      case ReduceFn::all: return mx::all(x, axes, op.keepdims, s);
      case ReduceFn::max:
        return x.dtype() == mx::bool_ ? mx::any(x, axes, op.keepdims, s) : mx::max(x, axes, op.keepdims, s);
      case ReduceFn::min:
        return x.dtype() == mx::bool_ ? mx::all(x, axes, op.keepdims, s) : mx::min(x, axes, op.keepdims, s);
      case ReduceFn::mean: return mean(x, op.keepdims);
      case ReduceFn::logsumexp: return logsumexp(x);
      case ReduceFn::var: return variance(centred(x), op.keepdims);
      case ReduceFn::std: return deviation(centred(x));
    }
    throw std::logic_error("unknown reduction");
  }
};

bool accumulates(ReduceFn fn) { return fn != ReduceFn::max && fn != ReduceFn::min; }

array emit(const op::Reduce& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const array given = cast(frame, op.x, dtype);
  frame.spend(given.size());
  const mx::Shape shape = frame.result_shape();
  if (given.size() == 0) return mx::full(shape, identity(op, dtype), s);
  const array x = accumulates(op.fn) ? mx::astype(given, to_mlx(widened(dtype)), s) : given;
  const size_t results = static_cast<size_t>(element_count(frame.result_sizes()));
  const Reduction reduction{op, {op.axes.begin(), op.axes.end()}, x.size() / results, s};
  // MLX sums narrow integers in 32 bits.
  return mx::astype(reduction(x), to_mlx(dtype), s);
}

array emit(const op::ArgReduce& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  frame.spend(x.size());
  const mx::Dtype dtype = to_mlx(frame.result_dtype());
  if (x.size() == 0) return mx::zeros(frame.result_shape(), dtype, s);
  const int axis = static_cast<int>(op.axis);
  const auto position = [&](const array& of) {
    return op.fn == ArgReduceFn::max ? mx::argmax(of, axis, op.keepdims, s) : mx::argmin(of, axis, op.keepdims, s);
  };
  if (!op.last) return mx::astype(position(x), dtype, s);
  const array end(static_cast<uint32_t>(x.shape(axis) - 1));
  const array last = mx::subtract(end, position(mx::flip(x, axis, s)), s);
  if (!is_real(frame.dtype(op.x))) return mx::astype(last, dtype, s);
  // Of several NaN the first is meant here too.
  const array nan = mx::isnan(x, s);
  const array first_nan = mx::argmax(nan, axis, op.keepdims, s);
  return mx::astype(mx::where(mx::any(nan, axis, op.keepdims, s), first_nan, last, s), dtype, s);
}

// MLX's own takes e^x of f64 in f32.
bool is_native(const op::Softmax& op, const Graph& graph) { return graph.type(op.x).dtype != DType::f64; }

array emit(const op::Softmax& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  frame.spend(x.size());
  if (x.size() == 0) return x;
  const DType dtype = frame.result_dtype(), wide = widened(dtype);
  const int axis = static_cast<int>(op.axis);
  if (!op.log) return mx::softmax(x, axis, wide != dtype, s);
  const array given = mx::astype(x, to_mlx(wide), s);
  const array shifted = mx::subtract(given, mx::max(given, axis, true, s), s);
  return mx::astype(mx::subtract(shifted, mx::logsumexp(shifted, axis, true, s), s), to_mlx(dtype), s);
}

// log(e^a + e^b) of f64
array log_sum(const array& a, const array& b, mx::Stream s) {
  const array distance = mx::negative(mx::abs(mx::subtract(a, b, s), s), s);
  // Equal infinities have no distance.
  const array power = mx::where(mx::equal(a, b, s), number(1, a), exp(distance, s), s);
  return mx::add(mx::maximum(a, b, s), mx::log1p(power, s), s);
}

// Each element `by` places further on along the axis, or back; -inf where none comes from.
array moved(const array& x, int axis, int by, bool back, mx::Stream s) {
  const int n = x.shape(axis), first = back ? by : 0;
  const array padded = mx::pad(x, {axis}, {back ? 0 : by}, {back ? by : 0}, number(-kInfinity, x), "constant", s);
  mx::Shape start(x.ndim(), 0), stop = padded.shape();
  start[static_cast<size_t>(axis)] = first;
  stop[static_cast<size_t>(axis)] = first + n;
  return mx::slice(padded, std::move(start), std::move(stop), s);
}

// MLX's own takes e^x of f64 in f32. Here runs of 1, 2, 4 … elements are joined with those before them.
array exact_logcumsumexp(const op::Cumulate& op, array x, mx::Stream s) {
  const int axis = from_front(op.axis, x.ndim()), n = x.shape(axis);
  for (int run = 1; run < n; run *= 2) x = log_sum(x, moved(x, axis, run, op.reverse, s), s);
  return op.exclusive ? moved(x, axis, 1, op.reverse, s) : x;
}

array cumulated(const op::Cumulate& op, const array& x, mx::Stream s) {
  const int axis = static_cast<int>(op.axis);
  switch (op.fn) {
    case CumulateFn::sum: return mx::cumsum(x, axis, op.reverse, !op.exclusive, s);
    case CumulateFn::prod: return mx::cumprod(x, axis, op.reverse, !op.exclusive, s);
    case CumulateFn::max: return mx::cummax(x, axis, op.reverse, !op.exclusive, s);
    case CumulateFn::min: return mx::cummin(x, axis, op.reverse, !op.exclusive, s);
    case CumulateFn::logsumexp:
      return x.dtype() == mx::float64 ? exact_logcumsumexp(op, x, s)
                                      : mx::logcumsumexp(x, axis, op.reverse, !op.exclusive, s);
  }
  throw std::logic_error("unknown cumulation");
}

// In f32 also where halves only compare: MLX's cummax and cummin of them drop NaN.
array emit(const op::Cumulate& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const array x = mx::astype(cast(frame, op.x, dtype), to_mlx(widened(dtype)), s);
  if (x.size() == 0) return mx::zeros(frame.result_shape(), to_mlx(dtype), s);
  return mx::astype(cumulated(op, x, s), to_mlx(dtype), s);
}

}  // namespace

INGOT_LOWERINGS(reduce)

}  // namespace ingot::mlx_engine
