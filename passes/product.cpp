#include "passes/product.h"

#include <algorithm>
#include <cmath>

#include "program/float_format.h"

namespace ingot {
namespace {

constexpr int kDepth = 6;            // of products in products
constexpr double kLargest = 0x1p20;  // of numbers, and of their reciprocals

std::optional<double> usable_number(const View& view, Ref ref) {
  const std::optional<double> number = view.real(ref);
  const bool usable = number && std::abs(*number) <= kLargest && std::abs(*number) >= 1 / kLargest;
  return usable ? number : std::nullopt;
}

class Factors {
 public:
  Factors(const View& view, Ref ref, std::optional<Ref> whole) : view_(view), type_(view.type(ref)), whole_(whole) {
    collect(ref, kDepth);
  }
  Product take() && { return std::move(product_); }

 private:
  void collect(Ref ref, int depth) {
    const bool is_whole = ref == whole_;
    if (const auto number = is_whole ? std::nullopt : usable_number(view_, ref)) {
      product_.number *= *number;
    } else if (is_whole || depth == 0 || view_.type(ref) != type_ || !look_through(ref, depth - 1)) {
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
    const std::optional<double> number = usable_number(view_, binary->b);
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

  const View& view_;
  const TensorType& type_;
  const std::optional<Ref> whole_;
  Product product_;
};

std::optional<Multiple> without_one_number(const View& view, const Multiple& multiple) {
  if (const auto* neg = view.unary(UnaryFn::neg, multiple.of)) return Multiple{-multiple.number, neg->x};
  const auto* binary = view.made_by<op::Binary>(multiple.of);
  if (!binary || (binary->fn != BinaryFn::mul && binary->fn != BinaryFn::div)) return {};
  const bool divides = binary->fn == BinaryFn::div;
  if (const auto number = usable_number(view, binary->b)) {
    return Multiple{divides ? multiple.number / *number : multiple.number * *number, binary->a};
  }
  const auto number = divides ? std::nullopt : usable_number(view, binary->a);
  return number ? std::optional(Multiple{multiple.number * *number, binary->b}) : std::nullopt;
}

}  // namespace

bool Product::is(double wanted, std::initializer_list<Ref> of, DType dtype) const {
  return is_rounded(number, wanted, dtype) && std::ranges::is_permutation(factors, of);
}

Product product_of(const View& view, Ref ref, std::optional<Ref> whole) { return Factors(view, ref, whole).take(); }

std::vector<Multiple> multiples_of(const View& view, Ref ref) {
  std::vector<Multiple> found{{.of = ref}};
  while (found.size() <= kDepth) {
    const auto next = without_one_number(view, found.back());
    if (!next || view.type(next->of) != view.type(ref)) break;
    found.push_back(*next);
  }
  return found;
}

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
