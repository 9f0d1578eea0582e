#include "passes/product.h"

#include <algorithm>
#include <cmath>

#include "program/float_format.h"

namespace ingot {
namespace {

constexpr int kDepth = 6;            // of products in products
constexpr double kLargest = 0x1p20;  // of numbers, and of their reciprocals

class Factors {
 public:
  Factors(const View& view, Ref whole) : view_(view), type_(view.type(whole)) { collect(whole, kDepth); }
  Product take() && { return std::move(product_); }

 private:
  void collect(Ref ref, int depth) {
    if (const auto number = usable_number(ref)) {
      product_.number *= *number;
    } else if (depth == 0 || view_.type(ref) != type_ || !look_through(ref, depth - 1)) {
      product_.factors.push_back(ref);
    }
  }

  bool look_through(Ref ref, int depth) {
    if (const auto* unary = view_.made_by<op::Unary>(ref)) {
      if (unary->fn == UnaryFn::square) return collect_power(unary->x, 2, depth);
      if (unary->fn != UnaryFn::neg) return false;
      product_.number = -product_.number;
      return collect_power(unary->x, 1, depth);
    }
    const auto* binary = view_.made_by<op::Binary>(ref);
    if (!binary) return false;
    if (binary->fn == BinaryFn::mul) {
      collect(binary->a, depth);
      collect(binary->b, depth);
      return true;
    }
    const std::optional<double> number = usable_number(binary->b);
    if (number && binary->fn == BinaryFn::div) {
      product_.number /= *number;
      return collect_power(binary->a, 1, depth);
    }
    const bool power = number && binary->fn == BinaryFn::pow && (*number == 2 || *number == 3);
    return power && collect_power(binary->a, static_cast<int>(*number), depth);
  }

  bool collect_power(Ref ref, int power, int depth) {
    for (int i = 0; i < power; ++i) collect(ref, depth);
    return true;
  }

  std::optional<double> usable_number(Ref ref) const {
    const std::optional<double> number = view_.real(ref);
    const bool usable = number && std::abs(*number) <= kLargest && std::abs(*number) >= 1 / kLargest;
    return usable ? number : std::nullopt;
  }

  const View& view_;
  const TensorType& type_;
  Product product_;
};

}  // namespace

bool Product::is(double wanted, std::initializer_list<Ref> of, DType dtype) const {
  return is_rounded(number, wanted, dtype) && std::ranges::is_permutation(factors, of);
}

Product product_of(const View& view, Ref ref) { return Factors(view, ref).take(); }

bool is_rounded(double actual, double wanted, DType dtype) {
  const std::optional<FloatFormat> format = float_format(dtype);
  return format && std::abs(actual - wanted) <= std::ldexp(std::abs(wanted), -format->mantissa_bits - 1);
}

std::optional<std::pair<Ref, double>> added_to_number(const View& view, Ref ref) {
  const op::Binary* sum = view.binary(BinaryFn::add, ref);
  if (!sum) return {};
  if (const auto number = view.real(sum->b)) return std::pair(sum->a, *number);
  if (const auto number = view.real(sum->a)) return std::pair(sum->b, *number);
  return {};
}

std::optional<Ref> added_to(const View& view, double number, Ref ref) {
  const auto sum = added_to_number(view, ref);
  return sum && sum->second == number ? std::optional(sum->first) : std::nullopt;
}

}  // namespace ingot
