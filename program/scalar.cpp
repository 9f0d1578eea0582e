#include "program/scalar.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "program/error.h"
#include "program/type.h"

namespace ingot {
namespace {

struct IntegerRange {
  int64_t min;
  uint64_t max;
};

IntegerRange integer_range(DType dtype) {
  const int width = bits(dtype);
  if (kind(dtype) == Kind::boolean) return {0, 1};
  if (kind(dtype) == Kind::unsigned_int) return {0, std::numeric_limits<uint64_t>::max() >> (64 - width)};
  return {std::numeric_limits<int64_t>::min() >> (64 - width), std::numeric_limits<uint64_t>::max() >> (65 - width)};
}

bool holds(const IntegerRange& range, const Scalar& value) {
  if (value.kind == ScalarKind::unsigned_int || value.as_int() >= 0) return value.bits <= range.max;
  return value.as_int() >= range.min;
}

template <class T>
std::string shortest(T value) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

float half(uint64_t bits, int shift) { return std::bit_cast<float>(static_cast<uint32_t>(bits >> shift)); }

}  // namespace

Scalar::Scalar(std::complex<float> value)
    : kind(ScalarKind::complex),
      bits(uint64_t{std::bit_cast<uint32_t>(value.imag())} << 32 | std::bit_cast<uint32_t>(value.real())) {}

double Scalar::as_real() const {
  switch (kind) {
    case ScalarKind::signed_int: return static_cast<double>(as_int());
    case ScalarKind::unsigned_int: return static_cast<double>(bits);
    case ScalarKind::real: return std::bit_cast<double>(bits);
    case ScalarKind::complex: break;
  }
  return half(bits, 0);
}

std::complex<double> Scalar::as_complex() const {
  return kind == ScalarKind::complex ? std::complex<double>(half(bits, 0), half(bits, 32)) : as_real();
}

void check_fits(const Scalar& value, DType dtype, std::string_view op, std::string_view subject) {
  const Kind target = ingot::kind(dtype);
  const bool integer = target == Kind::boolean || target == Kind::unsigned_int || target == Kind::signed_int;
  const auto refuse = [&](std::string expected) {
    throw Error::mismatch(Code::out_of_range, op, subject, to_string(value), std::move(expected));
  };
  if (integer) {
    const IntegerRange range = integer_range(dtype);
    if (!value.is_integer() || !holds(range, value)) {
      refuse(fmt::format("an integer in {}..{} for {}", range.min, range.max, to_string(dtype)));
    }
  } else if (target == Kind::storage || (target == Kind::real && value.kind == ScalarKind::complex)) {
    refuse(fmt::format("a number that {} holds", to_string(dtype)));
  }
}

std::string real_text(double value) { return shortest(value); }
std::string real_text(float value) { return shortest(value); }

std::string to_string(const Scalar& value) {
  switch (value.kind) {
    case ScalarKind::signed_int: return fmt::format("{}", value.as_int());
    case ScalarKind::unsigned_int: return fmt::format("{}", value.bits);
    case ScalarKind::real: return real_text(value.as_real());
    case ScalarKind::complex: break;
  }
  return fmt::format("complex({}, {})", real_text(half(value.bits, 0)), real_text(half(value.bits, 32)));
}

}  // namespace ingot
