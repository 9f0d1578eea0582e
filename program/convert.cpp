#include "program/convert.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "program/error.h"

namespace ingot::elements {

// ---------------------------------------------------------------------------------------------------------- extremes

template <>
Extremes<bool> extremes<bool>(DType) {
  return {false, true};
}
template <>
Extremes<uint64_t> extremes<uint64_t>(DType dtype) {
  return {0, std::numeric_limits<uint64_t>::max() >> (64 - bits(dtype))};
}
template <>
Extremes<int64_t> extremes<int64_t>(DType dtype) {
  const int unused = 64 - bits(dtype);
  return {std::numeric_limits<int64_t>::min() >> unused, std::numeric_limits<int64_t>::max() >> unused};
}

namespace {

struct RealRange {
  DType dtype;
  Extremes<double> range;
};

constexpr RealRange real_ranges[] = {
    {DType::f16, {-65504, 65504}},
    {DType::bf16, {-0x1.fep127, 0x1.fep127}},
    {DType::f32, {-0x1.fffffep127, 0x1.fffffep127}},
    {DType::f64, {-0x1.fffffffffffffp1023, 0x1.fffffffffffffp1023}},
    {DType::f8e4m3, {-448, 448}},
    {DType::f8e5m2, {-57344, 57344}},
    {DType::f8e8m0, {0x1p-127, 0x1p127}},
    {DType::f4e2m1, {-6, 6}},
};

}  // namespace

template <>
Extremes<double> extremes<double>(DType dtype) {
  const auto* row = std::find_if(std::begin(real_ranges), std::end(real_ranges),
                                 [&](const RealRange& candidate) { return candidate.dtype == dtype; });
  return row->range;
}

// --------------------------------------------------------------------------------------------------- one to another

namespace {

constexpr double kTwo63 = 0x1p63, kTwo64 = 0x1p64;

// Towards zero, saturating at 64 bits; NaN is 0.
int64_t to_signed(double x) {
  if (std::isnan(x)) return 0;
  if (x >= kTwo63) return std::numeric_limits<int64_t>::max();
  return x < -kTwo63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(x);
}
uint64_t to_unsigned(double x) {
  if (!(x > 0)) return 0;
  return x >= kTwo64 ? std::numeric_limits<uint64_t>::max() : static_cast<uint64_t>(x);
}

// Rounding to a narrower dtype follows, so beyond 2^53 the lowest bit kept stands for all that were dropped: two
// roundings to nearest could differ from one.
double to_real(uint64_t x) {
  constexpr uint64_t dropped = 2047;
  if (x >> 53 && x & dropped) x = (x & ~dropped) | (dropped + 1);
  return static_cast<double>(x);
}
double to_real(int64_t x) { return x < 0 ? -to_real(-static_cast<uint64_t>(x)) : to_real(static_cast<uint64_t>(x)); }

// How a value of one domain becomes one of another, on its way to a dtype.
struct Conversion {
  DType to;
  bool saturate;

  template <class To, class From>
  To apply(From x) const {
    if constexpr (std::is_same_v<From, Complex> && !std::is_same_v<To, Complex> && !std::is_same_v<To, bool>) {
      return apply<To>(x.real());
    } else if constexpr (std::is_same_v<To, bool>) {
      return x != From{};
    } else if constexpr (std::is_same_v<To, Complex>) {
      return complex(x);
    } else if constexpr (std::is_same_v<To, double>) {
      return limited(real(x));
    } else {
      return saturate ? nearest<To>(x) : low_bits<To>(x);
    }
  }

 private:
  double real(double x) const { return x; }
  double real(bool x) const { return x; }
  template <class Integer>
  double real(Integer x) const {
    return to == DType::f64 ? static_cast<double>(x) : to_real(x);
  }

  // NaN stays.
  double limited(double x) const {
    if (!saturate || std::isnan(x)) return x;
    const auto [lowest, highest] = extremes<double>(to);
    return std::clamp(x, lowest, highest);
  }

  template <class From>
  Complex complex(From x) const {
    const Conversion part{DType::f32, saturate};
    if constexpr (std::is_same_v<From, Complex>) {
      return {part.apply<double>(x.real()), part.apply<double>(x.imag())};
    } else {
      return part.apply<double>(x);
    }
  }

  // The store keeps the low bits; a real goes through i64, but for u64.
  template <class To, class From>
  To low_bits(From x) const {
    if constexpr (std::is_same_v<From, double>) {
      return to == DType::u64 ? static_cast<To>(to_unsigned(x)) : static_cast<To>(to_signed(x));
    } else {
      return static_cast<To>(x);
    }
  }

  template <class To, class From>
  To nearest(From x) const {
    const auto [lowest, highest] = extremes<To>(to);
    if constexpr (std::is_same_v<From, double>) {
      return std::clamp(std::is_signed_v<To> ? static_cast<To>(to_signed(x)) : static_cast<To>(to_unsigned(x)), lowest,
                        highest);
    } else {
      if (std::cmp_less(int_of(x), lowest)) return lowest;
      return std::cmp_greater(int_of(x), highest) ? highest : static_cast<To>(x);
    }
  }

  static int int_of(bool x) { return x; }  // std::cmp_less takes no bool
  template <class Integer>
  static Integer int_of(Integer x) {
    return x;
  }
};

}  // namespace

void check_convertible(DType x, DType dtype) {
  const auto refuse = [](std::string_view subject, DType actual, std::string expected) {
    throw Error::mismatch(Code::type_mismatch, "", subject, std::string(to_string(actual)), std::move(expected));
  };
  if (x == DType::packed) refuse("x", x, "a dtype of single elements (dequantize it)");
  if (dtype == DType::packed) refuse("dtype", dtype, "a dtype of single elements (quantize makes packed ones)");
  if (x == DType::c64 && kind(dtype) == Kind::storage) {
    refuse("dtype", dtype, "bool, integer, real or complex (x is c64)");
  }
}

void convert(const Tensor& x, Tensor& y, bool saturate) {
  const Conversion conversion{y.dtype(), saturate};
  with_domain(x.dtype(), [&]<class From>() {
    with_domain(y.dtype(), [&]<class To>() {
      const View<From> from = view<From>(x);
      const Out<To> to(y, storer<To>(y.dtype()));
      for (int64_t i = 0, n = from.size(); i < n; ++i) to.store(i, conversion.template apply<To>(from[i]));
    });
  });
}

}  // namespace ingot::elements
