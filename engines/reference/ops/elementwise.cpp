// Element-wise ops. Reals in double, one rounding at the store; integers in 64 bits, which the store cuts.
#include <cmath>
#include <numbers>

#include "engines/reference/activation.h"
#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"
#include "engines/special_functions.h"
#include "program/decompose.h"

namespace ingot::reference {
namespace {

template <class T>
constexpr bool is_signed_int = std::is_same_v<T, int64_t>;
template <class T>
bool is_negative(T x) {
  return is_signed_int<T> && static_cast<int64_t>(x) < 0;
}

// ------------------------------------------------------------------------------------------------------------- unary

// x/2·(1 + tanh(z)) = x·sigmoid(2z), without cancellation
double gelu_tanh(double x) {
  const double z = std::numbers::sqrt2 * std::numbers::inv_sqrtpi * (x + 0.044715 * x * x * x);
  return x * sigmoid(2 * z);
}

double unary(UnaryFn fn, double x) {
  switch (fn) {
    case UnaryFn::abs: return std::abs(x);
    case UnaryFn::neg: return -x;
    case UnaryFn::sign: return x > 0 ? 1 : x < 0 ? -1 : x;
    case UnaryFn::square: return x * x;
    case UnaryFn::sqrt: return std::sqrt(x);
    case UnaryFn::rsqrt: return 1 / std::sqrt(x);
    case UnaryFn::reciprocal: return 1 / x;
    case UnaryFn::exp: return std::exp(x);
    case UnaryFn::expm1: return std::expm1(x);
    case UnaryFn::exp2: return std::exp2(x);
    case UnaryFn::log: return std::log(x);
    case UnaryFn::log1p: return std::log1p(x);
    case UnaryFn::log2: return std::log2(x);
    case UnaryFn::log10: return std::log10(x);
    case UnaryFn::sin: return std::sin(x);
    case UnaryFn::cos: return std::cos(x);
    case UnaryFn::tan: return std::tan(x);
    case UnaryFn::asin: return std::asin(x);
    case UnaryFn::acos: return std::acos(x);
    case UnaryFn::atan: return std::atan(x);
    case UnaryFn::sinh: return std::sinh(x);
    case UnaryFn::cosh: return std::cosh(x);
    case UnaryFn::tanh: return std::tanh(x);
    case UnaryFn::asinh: return std::asinh(x);
    case UnaryFn::acosh: return std::acosh(x);
    case UnaryFn::atanh: return std::atanh(x);
    case UnaryFn::erf: return std::erf(x);
    case UnaryFn::erfinv: return erfinv(x);
    case UnaryFn::floor: return std::floor(x);
    case UnaryFn::ceil: return std::ceil(x);
    case UnaryFn::round: return std::nearbyint(x);
    case UnaryFn::trunc: return std::trunc(x);
    case UnaryFn::sigmoid: return sigmoid(x);
    case UnaryFn::relu: return x > 0 || std::isnan(x) ? x : 0;
    case UnaryFn::silu: return x * sigmoid(x);
    case UnaryFn::gelu: return x / 2 * std::erfc(-x / std::numbers::sqrt2);
    case UnaryFn::gelu_tanh: return gelu_tanh(x);
    case UnaryFn::softplus: return softplus(x);
    case UnaryFn::lgamma: return log_gamma(x);
    default: return x;
  }
}

template <class T>
T integer_unary(UnaryFn fn, T x) {
  switch (fn) {
    case UnaryFn::abs: return is_negative(x) ? subtract<T>(0, x) : x;
    case UnaryFn::neg: return subtract<T>(0, x);
    case UnaryFn::sign: return is_negative(x) ? static_cast<T>(-1) : static_cast<T>(x != 0);
    case UnaryFn::square: return multiply(x, x);
    case UnaryFn::bitwise_not: return ~x;
    case UnaryFn::relu: return is_negative(x) ? 0 : x;
    default: return x;  // floor, ceil, round, trunc
  }
}
uint64_t unary(UnaryFn fn, uint64_t x) { return integer_unary(fn, x); }
int64_t unary(UnaryFn fn, int64_t x) { return integer_unary(fn, x); }

bool unary(UnaryFn, bool x) { return !x; }

Complex unary(UnaryFn fn, Complex x) {
  switch (fn) {
    case UnaryFn::neg: return -x;
    case UnaryFn::square: return x * x;
    case UnaryFn::sqrt: return std::sqrt(x);
    case UnaryFn::reciprocal: return 1.0 / x;
    case UnaryFn::exp: return std::exp(x);
    case UnaryFn::log: return std::log(x);
    case UnaryFn::conj: return std::conj(x);
    default: return x;
  }
}

// What is a real number of a complex one.
double part(UnaryFn fn, Complex x) {
  switch (fn) {
    case UnaryFn::real: return x.real();
    case UnaryFn::imag: return x.imag();
    case UnaryFn::angle: return std::arg(x);
    default: return std::abs(x);
  }
}

// isnan, isinf, isfinite, signbit; of a complex number: either part, either part, both.
bool classify(UnaryFn fn, double x) {
  switch (fn) {
    case UnaryFn::isnan: return std::isnan(x);
    case UnaryFn::isinf: return std::isinf(x);
    case UnaryFn::signbit: return std::signbit(x);
    default: return std::isfinite(x);
  }
}
bool classify(UnaryFn fn, Complex x) {
  const bool real = classify(fn, x.real()), imaginary = classify(fn, x.imag());
  return fn == UnaryFn::isfinite ? real && imaginary : real || imaginary;
}

template <class T, class R, class F>
void map(const View<T>& x, const Out<R>& y, F f) {
  for (int64_t i = 0, n = x.size(); i < n; ++i) y.store(i, f(x[i]));
}

// ------------------------------------------------------------------------------------------------------------ binary

// The largest integer not above a / b: the division rounds, and fma tells whether it went past.
double floor_div(double a, double b) {
  const double quotient = std::floor(a / b), rest = std::fma(-quotient, b, a);
  return (rest < 0 && b > 0) || (rest > 0 && b < 0) ? quotient - 1 : quotient;
}

double rem(double a, double b) {
  const double rest = std::fmod(a, b);
  if (rest == 0) return std::copysign(0.0, b);
  return (rest < 0) == (b < 0) ? rest : rest + b;
}

double binary(BinaryFn fn, double a, double b, int) {
  switch (fn) {
    case BinaryFn::add: return a + b;
    case BinaryFn::sub: return a - b;
    case BinaryFn::mul: return a * b;
    case BinaryFn::div: return a / b;
    case BinaryFn::floor_div: return floor_div(a, b);
    case BinaryFn::trunc_div: return (a < 0) != (b < 0) ? -floor_div(-a, b) : floor_div(a, b);
    case BinaryFn::rem: return rem(a, b);
    case BinaryFn::fmod: return std::fmod(a, b);
    case BinaryFn::pow: return std::pow(a, b);
    case BinaryFn::max: return larger(a, b);
    case BinaryFn::min: return smaller(a, b);
    case BinaryFn::atan2: return std::atan2(a, b);
    case BinaryFn::logaddexp: return logaddexp(a, b);
    default: return a;
  }
}

// Towards zero; by 0: 0. By -1 without dividing, since the lowest number has no negative.
template <class T>
T trunc_div(T a, T b) {
  if (b == 0) return 0;
  return is_signed_int<T> && b == static_cast<T>(-1) ? subtract<T>(0, a) : a / b;
}
template <class T>
T fmod(T a, T b) {
  return b == 0 ? 0 : subtract(a, multiply(trunc_div(a, b), b));
}
// Whether the rest of the division towards zero has the other sign than the divisor.
template <class T>
bool rest_is_opposite(T a, T b) {
  return fmod(a, b) != 0 && is_negative(a) != is_negative(b);
}

// By squaring, modulo 2^64. A negative exponent leaves nothing of a number but 1 and -1.
template <class T>
T power(T base, T exponent) {
  if (is_negative(exponent) && base != 1 && base != static_cast<T>(-1)) return 0;
  T result = 1;
  for (auto rest = static_cast<uint64_t>(exponent); rest != 0; rest >>= 1, base = multiply(base, base)) {
    if (rest & 1) result = multiply(result, base);
  }
  return result;
}

// A shift by the width or more, or by less than 0, leaves nothing but the sign.
template <class T>
bool shifts_all(T by, int width) {
  return static_cast<uint64_t>(by) >= static_cast<uint64_t>(width);
}
template <class T>
T shift_left(T x, T by, int width) {
  return shifts_all(by, width) ? 0 : static_cast<T>(static_cast<uint64_t>(x) << by);
}
template <class T>
T shift_right(T x, T by, int width) {
  if (shifts_all(by, width)) return is_negative(x) ? static_cast<T>(-1) : 0;
  return x >> by;
}

template <class T>
T integer_binary(BinaryFn fn, T a, T b, int width) {
  switch (fn) {
    case BinaryFn::add: return add(a, b);
    case BinaryFn::sub: return subtract(a, b);
    case BinaryFn::mul: return multiply(a, b);
    case BinaryFn::floor_div: return trunc_div(a, b) - static_cast<T>(rest_is_opposite(a, b));
    case BinaryFn::trunc_div: return trunc_div(a, b);
    case BinaryFn::rem: return fmod(a, b) + (rest_is_opposite(a, b) ? b : 0);
    case BinaryFn::fmod: return fmod(a, b);
    case BinaryFn::pow: return power(a, b);
    case BinaryFn::max: return larger(a, b);
    case BinaryFn::min: return smaller(a, b);
    case BinaryFn::bitwise_and: return a & b;
    case BinaryFn::bitwise_or: return a | b;
    case BinaryFn::bitwise_xor: return a ^ b;
    case BinaryFn::shift_left: return shift_left(a, b, width);
    case BinaryFn::shift_right: return shift_right(a, b, width);
    default: return a;
  }
}
uint64_t binary(BinaryFn fn, uint64_t a, uint64_t b, int width) { return integer_binary(fn, a, b, width); }
int64_t binary(BinaryFn fn, int64_t a, int64_t b, int width) { return integer_binary(fn, a, b, width); }

bool binary(BinaryFn fn, bool a, bool b, int) {
  switch (fn) {
    case BinaryFn::logical_and:
    case BinaryFn::bitwise_and: return a && b;
    case BinaryFn::logical_or:
    case BinaryFn::bitwise_or: return a || b;
    default: return a != b;
  }
}

Complex binary(BinaryFn fn, Complex a, Complex b, int) {
  switch (fn) {
    case BinaryFn::add: return a + b;
    case BinaryFn::sub: return a - b;
    case BinaryFn::mul: return a * b;
    default: return a / b;
  }
}

template <class T>
bool compare(CompareFn fn, T a, T b) {
  if (fn == CompareFn::eq) return a == b;
  if (fn == CompareFn::ne) return a != b;
  if constexpr (!std::is_same_v<T, Complex>) {
    switch (fn) {
      case CompareFn::lt: return a < b;
      case CompareFn::le: return a <= b;
      case CompareFn::gt: return a > b;
      default: return a >= b;
    }
  }
  return false;
}

// y = f(a, b), both stretched to the sizes of y.
template <class T, class R, class F>
void zip(const View<T>& a, const View<T>& b, const Out<R>& y, F f) {
  walk(
      y.sizes(), [&](int64_t i, int64_t in_a, int64_t in_b) { y.store(i, f(a[in_a], b[in_b])); },
      broadcast_strides(a.sizes(), y.sizes()), broadcast_strides(b.sizes(), y.sizes()));
}

}  // namespace

static void kernel(const op::Unary& op, Frame& frame) {
  with_domain(frame.dtype(op.x), [&]<class T>() {
    const View<T> x = frame.in<T>(op.x);
    if constexpr (std::is_same_v<T, Complex>) {
      if (frame.result_dtype() == DType::f32)
        return map(x, frame.out<double>(), [&](Complex z) { return part(op.fn, z); });
    }
    if constexpr (std::is_same_v<T, Complex> || std::is_same_v<T, double>) {
      if (frame.result_dtype() == DType::bool_)
        return map(x, frame.out<bool>(), [&](T v) { return classify(op.fn, v); });
    }
    map(x, frame.out<T>(), [&](T v) { return unary(op.fn, v); });
  });
}

static void kernel(const op::Binary& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    const int width = bits(dtype);
    zip(frame.in<T>(op.a, dtype), frame.in<T>(op.b, dtype), frame.out<T>(),
        [&](T a, T b) { return binary(op.fn, a, b, width); });
  });
}

static void kernel(const op::Compare& op, Frame& frame) {
  const DType dtype = *promote(frame.dtype(op.a), frame.dtype(op.b));
  with_domain(dtype, [&]<class T>() {
    zip(frame.in<T>(op.a, dtype), frame.in<T>(op.b, dtype), frame.out<bool>(),
        [&](T a, T b) { return compare(op.fn, a, b); });
  });
}

static void kernel(const op::Select& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    const View<bool> condition = frame.in<bool>(op.condition);
    const View<T> a = frame.in<T>(op.a, dtype), b = frame.in<T>(op.b, dtype);
    const Out<T> y = frame.out<T>();
    walk(
        y.sizes(),
        [&](int64_t i, int64_t in_condition, int64_t in_a, int64_t in_b) {
          y.store(i, condition[in_condition] ? a[in_a] : b[in_b]);
        },
        broadcast_strides(condition.sizes(), y.sizes()), broadcast_strides(a.sizes(), y.sizes()),
        broadcast_strides(b.sizes(), y.sizes()));
  });
}

static void kernel(const op::Cast& op, Frame& frame) {
  convert(frame.tensor(op.x), frame.allocate_result(), op.saturate);
}

// The parameters are numbers of the dtype that engines compute in, so that all agree on which side of them x lies.
static void kernel(const op::Activation& op, Frame& frame) {
  const DType dtype = widened(frame.dtype(op.x));
  const auto [alpha, beta] = parameters_of(op);
  const ActivationParameters rounded{round_to(dtype, alpha), round_to(dtype, beta)};
  map(frame.in(op.x), frame.out(), [&](double x) { return activate(op.fn, x, rounded); });
}

// min(max(x, low), high)
static void kernel(const op::Clip& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, Complex>) {
      const auto [lowest, highest] = bounds<T>(dtype);
      const View<T> x = frame.in<T>(op.x, dtype);
      const View<T> low = op.low ? frame.in<T>(*op.low, dtype) : View<T>(lowest);
      const View<T> high = op.high ? frame.in<T>(*op.high, dtype) : View<T>(highest);
      const Out<T> y = frame.out<T>();
      walk(
          y.sizes(),
          [&](int64_t i, int64_t in_x, int64_t in_low, int64_t in_high) {
            y.store(i, smaller(larger(x[in_x], low[in_low]), high[in_high]));
          },
          broadcast_strides(x.sizes(), y.sizes()), broadcast_strides(low.sizes(), y.sizes()),
          broadcast_strides(high.sizes(), y.sizes()));
    }
  });
}

static void kernel(const op::Bitcast& op, Frame& frame) {
  const Tensor& x = frame.tensor(op.x);
  frame.set(0, Tensor(op.dtype, x.sizes(), x.buffer()));
}

static void kernel(const op::Complex& op, Frame& frame) {
  zip(frame.in(op.re), frame.in(op.im), frame.out<Complex>(), [](double re, double im) { return Complex(re, im); });
}

// value·fn(gate)
static void kernel(const op::Glu& op, Frame& frame) {
  const UnaryFn fn = function_of_gate(op.fn);
  zip(frame.in(op.value), frame.in(op.gate), frame.out(),
      [&](double value, double gate) { return value * unary(fn, gate); });
}

INGOT_KERNELS(elementwise)

}  // namespace ingot::reference
