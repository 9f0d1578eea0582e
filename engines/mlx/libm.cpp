#include "engines/mlx/libm.h"

#include <mlx/backend/common/unary.h>
#include <mlx/primitives.h>
#include <mlx/scheduler.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "engines/special_functions.h"

namespace ingot::mlx_engine {
namespace {

struct Function {
  const char* name;
  float (*f32)(float);
  double (*f64)(double);
};

// Without overflow.
template <class T>
T sigmoid_of(T x) {
  const T e = std::exp(-std::abs(x));
  return (x < 0 ? e : T{1}) / (1 + e);
}

constexpr Function exp_function{"ingot_exp", [](float x) { return std::exp(x); }, [](double x) { return std::exp(x); }};
constexpr Function sin_function{"ingot_sin", [](float x) { return std::sin(x); }, [](double x) { return std::sin(x); }};
constexpr Function cos_function{"ingot_cos", [](float x) { return std::cos(x); }, [](double x) { return std::cos(x); }};
constexpr Function erf_function{"ingot_erf", [](float x) { return std::erf(x); }, [](double x) { return std::erf(x); }};
constexpr Function erfinv_function{"ingot_erfinv", [](float x) { return static_cast<float>(ingot::erfinv(x)); },
                                   [](double x) { return ingot::erfinv(x); }};
constexpr Function sigmoid_function{"ingot_sigmoid", sigmoid_of<float>, sigmoid_of<double>};
constexpr Function lgamma_function{"ingot_lgamma", [](float x) { return static_cast<float>(log_gamma(x)); },
                                   [](double x) { return log_gamma(x); }};

// y = f(x), element by element. What is dense keeps its strides.
template <class T>
void apply(T (*f)(T), const array& x, array& y) {
  const T* from = x.data<T>();
  T* to = y.data<T>();
  if (x.flags().contiguous) {
    for (size_t i = 0, n = x.data_size(); i < n; ++i) to[i] = f(from[i]);
  } else {
    for (size_t i = 0, n = x.size(); i < n; ++i) to[i] = f(from[mx::elem_to_loc(static_cast<int64_t>(i), x)]);
  }
}

class Libm : public mx::UnaryPrimitive {
 public:
  Libm(mx::Stream stream, const Function& function) : UnaryPrimitive(stream), function_(&function) {}

  void eval_cpu(const std::vector<array>& inputs, array& out) override {
    const array& x = inputs[0];
    mx::set_unary_output_data(x, out);
    // MLX keeps both arrays until the stream has passed this.
    mx::scheduler::enqueue(stream(), [function = function_, from = array::unsafe_weak_copy(x),
                                      to = array::unsafe_weak_copy(out)]() mutable {
      from.dtype() == mx::float64 ? apply(function->f64, from, to) : apply(function->f32, from, to);
    });
  }
  void eval_gpu(const std::vector<array>&, array&) override { throw std::logic_error("only on the CPU"); }

  const char* name() const override { return function_->name; }
  bool is_equivalent(const Primitive& other) const override {
    return function_ == static_cast<const Libm&>(other).function_;
  }
  std::vector<mx::Shape> output_shapes(const std::vector<array>& inputs) override { return {inputs[0].shape()}; }

 private:
  const Function* function_;
};

array of_library(const Function& function, const array& x, mx::Stream s) {
  return array(x.shape(), x.dtype(), std::make_shared<Libm>(s, function), {x});
}

bool on_cpu(mx::Stream s) { return s.device == mx::Device::cpu; }

// ------------------------------------------------------------------------------------------------------------ lgamma

// (-1)^k (ζ(k) - 1) / k from k = 2 on: log Γ(2 + z) = (1 - γ)·z + Σ of these times z^k.
constexpr std::array<double, 15> series = {3.224670334241132e-01,  -6.735230105319809e-02, 2.058080842778454e-02,
                                           -7.385551028673985e-03, 2.890510330741523e-03,  -1.192753911703260e-03,
                                           5.096695247430425e-04,  -2.231547584535794e-04, 9.945751278180853e-05,
                                           -4.492623673813314e-05, 2.050721277567069e-05,  -9.439488275268396e-06,
                                           4.374866789907487e-06,  -2.039215753801366e-06, 9.551412130407419e-07};

// Within 1.5 … 2.5
array near_two(const array& x, mx::Stream s) {
  const array z = mx::subtract(x, array(2.0F), s);
  array sum = array(static_cast<float>(series.back()));
  for (auto k = series.rbegin() + 1; k != series.rend(); ++k) {
    sum = mx::add(mx::multiply(sum, z, s), array(static_cast<float>(*k)), s);
  }
  sum = mx::add(mx::multiply(sum, z, s), array(static_cast<float>(1 - std::numbers::egamma)), s);
  return mx::multiply(sum, z, s);
}

// From 8 on, by Stirling: (x - 1/2)·log x - x + log(2π)/2 + 1/12x - 1/360x³
array far(const array& x, mx::Stream s) {
  const array inverse = mx::reciprocal(x, s), log = mx::log(x, s);
  const array rest = mx::multiply(
      inverse, mx::subtract(array(1.0F / 12), mx::multiply(mx::square(inverse, s), array(1.0F / 360), s), s), s);
  // Grouped so that nothing overflows before the result does.
  const array main = mx::multiply(x, mx::subtract(log, array(1.0F), s), s);
  return mx::add(mx::add(mx::subtract(main, mx::multiply(log, array(0.5F), s), s), array(0.918938533204672742F), s),
                 rest, s);
}

// From 1/2 on: towards 1.5 … 2.5 by Γ(x + 1) = x·Γ(x), in the logarithm of a product.
array of_positive(const array& x, mx::Stream s) {
  const array one = array(1.0F);
  array at = mx::minimum(x, array(8.0F), s), product = one;
  for (int step = 0; step < 6; ++step) {
    const array above = mx::greater_equal(at, array(2.5F), s);
    at = mx::where(above, mx::subtract(at, one, s), at, s);
    product = mx::where(above, mx::multiply(product, at, s), product, s);
  }
  const array below = mx::less(at, array(1.5F), s), divisor = mx::where(below, at, one, s);
  at = mx::where(below, mx::add(at, one, s), at, s);
  const array close = mx::add(near_two(at, s), mx::subtract(mx::log(product, s), mx::log(divisor, s), s), s);
  return mx::where(mx::greater(x, array(8.0F), s), far(x, s), close, s);
}

// -log(|sin πr| / π) for |r| ≤ 1/2. Near 0 that is -log |r|, also where π·r has no digits left.
array reflection(const array& r, mx::Stream s) {
  const array distance = mx::abs(r, s);
  const array sine = mx::sin(mx::multiply(distance, array(std::numbers::pi_v<float>), s), s);
  const array ratio = mx::multiply(sine, array(std::numbers::inv_pi_v<float>), s);
  return mx::negative(mx::log(mx::where(mx::less(distance, array(0x1p-12F), s), distance, ratio, s), s), s);
}

// Below 1/2 by reflection, Γ(x)·Γ(1 - x) = π / sin πx, with a pole in every integer.
array of_f32(const array& x, mx::Stream s) {
  const array reflected = mx::less(x, array(0.5F), s), r = mx::subtract(x, mx::round(x, s), s);
  const array y = of_positive(mx::where(reflected, mx::subtract(array(1.0F), x, s), x, s), s);
  const array either = mx::where(reflected, mx::subtract(reflection(r, s), y, s), y, s);
  const array pole = mx::logical_and(reflected, mx::equal(r, array(0.0F), s), s);
  const array infinite = mx::logical_or(pole, mx::isinf(x, s), s);
  return mx::where(infinite, array(std::numeric_limits<float>::infinity()), either, s);
}

}  // namespace

array exp(const array& x, mx::Stream s) { return on_cpu(s) ? of_library(exp_function, x, s) : mx::exp(x, s); }
array sin(const array& x, mx::Stream s) {
  return x.dtype() == mx::float64 ? of_library(sin_function, x, s) : mx::sin(x, s);
}
array cos(const array& x, mx::Stream s) {
  return x.dtype() == mx::float64 ? of_library(cos_function, x, s) : mx::cos(x, s);
}
array erf(const array& x, mx::Stream s) { return on_cpu(s) ? of_library(erf_function, x, s) : mx::erf(x, s); }
array erfinv(const array& x, mx::Stream s) { return on_cpu(s) ? of_library(erfinv_function, x, s) : mx::erfinv(x, s); }
array sigmoid(const array& x, mx::Stream s) {
  return on_cpu(s) ? of_library(sigmoid_function, x, s) : mx::sigmoid(x, s);
}
array lgamma(const array& x, mx::Stream s) {
  return x.dtype() == mx::float64 ? of_library(lgamma_function, x, s) : of_f32(x, s);
}

}  // namespace ingot::mlx_engine
