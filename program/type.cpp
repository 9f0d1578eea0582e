#include "program/type.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "program/error.h"

namespace ingot {

// ---------------------------------------------------------------------------------------------------------- dtypes

namespace {

// In the order of the enum, so that a DType is its own index.
constexpr std::array dtype_facts = {
    DTypeFacts{DType::bool_, Kind::boolean, 8},     DTypeFacts{DType::u8, Kind::unsigned_int, 8},
    DTypeFacts{DType::u16, Kind::unsigned_int, 16}, DTypeFacts{DType::u32, Kind::unsigned_int, 32},
    DTypeFacts{DType::u64, Kind::unsigned_int, 64}, DTypeFacts{DType::i8, Kind::signed_int, 8},
    DTypeFacts{DType::i16, Kind::signed_int, 16},   DTypeFacts{DType::i32, Kind::signed_int, 32},
    DTypeFacts{DType::i64, Kind::signed_int, 64},   DTypeFacts{DType::f16, Kind::real, 16},
    DTypeFacts{DType::bf16, Kind::real, 16},        DTypeFacts{DType::f32, Kind::real, 32},
    DTypeFacts{DType::f64, Kind::real, 64},         DTypeFacts{DType::c64, Kind::complex, 64},
    DTypeFacts{DType::f8e4m3, Kind::storage, 8},    DTypeFacts{DType::f8e5m2, Kind::storage, 8},
    DTypeFacts{DType::f8e8m0, Kind::storage, 8},    DTypeFacts{DType::f4e2m1, Kind::storage, 4},
    DTypeFacts{DType::i4, Kind::storage, 4},        DTypeFacts{DType::u4, Kind::storage, 4},
    DTypeFacts{DType::i2, Kind::storage, 2},        DTypeFacts{DType::u2, Kind::storage, 2},
    DTypeFacts{DType::packed, Kind::storage, 0},
};

constexpr bool in_enum_order() {
  for (size_t i = 0; i < dtype_facts.size(); ++i) {
    if (static_cast<size_t>(dtype_facts[i].dtype) != i) return false;
  }
  return true;
}
static_assert(in_enum_order() && dtype_facts.size() == static_cast<size_t>(DType::packed) + 1);

DType wider(DType a, DType b) {
  if (bits(a) == bits(b)) return DType::f32;  // f16 and bf16: neither holds the other
  return bits(a) > bits(b) ? a : b;
}

std::optional<DType> signed_of_bits(int wanted) {
  for (const DTypeFacts& f : dtype_facts) {
    if (f.kind == Kind::signed_int && f.bits == wanted) return f.dtype;
  }
  return {};
}

}  // namespace

const DTypeFacts& facts(DType dtype) { return dtype_facts.at(static_cast<size_t>(dtype)); }

std::optional<DType> promote(DType a, DType b) {
  if (a == b) return a;
  if (kind(a) > kind(b)) std::swap(a, b);
  if (kind(b) == Kind::storage) return {};
  if (kind(a) == Kind::boolean) return b;
  if (kind(a) == kind(b)) return wider(a, b);
  if (kind(b) == Kind::signed_int) return signed_of_bits(std::max(2 * bits(a), bits(b)));
  if (kind(b) == Kind::complex && a == DType::f64) return {};  // c64 holds f32 only
  return b;
}

// --------------------------------------------------------------------------------------------------------- scheme

namespace {

constexpr auto any = std::nullopt;

// In the order of the enum. Bits of a GGUF method are those of its name.
constexpr MethodFacts method_facts[] = {
    {QuantMethod::affine, any, any, any},
    {QuantMethod::symmetric, any, any, any},
    {QuantMethod::mxfp4, 4, 32, DType::f8e8m0},
    {QuantMethod::mxfp8, 8, 32, DType::f8e8m0},
    {QuantMethod::nvfp4, 4, 16, DType::f8e4m3},
    {QuantMethod::nf4, 4, any, any},
    {QuantMethod::fp8_e4m3, 8, any, any},
    {QuantMethod::fp8_e5m2, 8, any, any},
    {QuantMethod::q4_0, 4, 32, DType::f16, 18},
    {QuantMethod::q4_1, 4, 32, DType::f16, 20},
    {QuantMethod::q5_0, 5, 32, DType::f16, 22},
    {QuantMethod::q5_1, 5, 32, DType::f16, 24},
    {QuantMethod::q8_0, 8, 32, DType::f16, 34},
    {QuantMethod::q8_1, 8, 32, DType::f16, 36},
    {QuantMethod::q2_k, 2, 256, DType::f16, 84},
    {QuantMethod::q3_k, 3, 256, DType::f16, 110},
    {QuantMethod::q4_k, 4, 256, DType::f16, 144},
    {QuantMethod::q5_k, 5, 256, DType::f16, 176},
    {QuantMethod::q6_k, 6, 256, DType::f16, 210},
    {QuantMethod::q8_k, 8, 256, DType::f32, 292},
    {QuantMethod::iq4_nl, 4, 32, DType::f16, 18},
    {QuantMethod::iq4_xs, 4, 256, DType::f16, 136},
    {QuantMethod::iq2_xxs, 2, 256, DType::f16, 66, true},
    {QuantMethod::iq2_xs, 2, 256, DType::f16, 74, true},
    {QuantMethod::iq2_s, 2, 256, DType::f16, 82, true},
    {QuantMethod::iq3_xxs, 3, 256, DType::f16, 98, true},
    {QuantMethod::iq3_s, 3, 256, DType::f16, 110, true},
    {QuantMethod::iq1_s, 1, 256, DType::f16, 50, true},
    {QuantMethod::iq1_m, 1, 256, DType::f16, 56, true},
    {QuantMethod::tq1_0, 1, 256, DType::f16, 54},
    {QuantMethod::tq2_0, 2, 256, DType::f16, 66},
};

constexpr bool methods_in_enum_order() {
  for (size_t i = 0; i < std::size(method_facts); ++i) {
    if (static_cast<size_t>(method_facts[i].method) != i) return false;
  }
  return true;
}
static_assert(methods_in_enum_order() && std::size(method_facts) == EnumNames<QuantMethod>::names.size());

void check_field(const QuantScheme& scheme, bool ok, std::string_view field, std::string actual, std::string expected) {
  if (ok) return;
  throw Error::mismatch(Code::out_of_range, "", fmt::format("{} of {} scheme", field, to_string(scheme.method)),
                        std::move(actual), std::move(expected));
}

int64_t ceil_div_sizes(int64_t a, int64_t b) { return a / b + (a % b != 0); }

}  // namespace

const MethodFacts& facts(QuantMethod method) { return method_facts[static_cast<size_t>(method)]; }

void check(const QuantScheme& s) {
  const MethodFacts& f = facts(s.method);
  check_field(s, f.bits ? s.bits == *f.bits : s.bits >= 2 && s.bits <= 8, "bits", std::to_string(s.bits),
              f.bits ? std::to_string(*f.bits) : "2 to 8");
  check_field(s, f.group ? s.group == *f.group : s.group >= 1, "group", std::to_string(s.group),
              f.group ? std::to_string(*f.group) : "at least 1");
  const bool scale_ok =
      f.scale ? s.scale == *f.scale : s.scale == DType::f16 || s.scale == DType::bf16 || s.scale == DType::f32;
  check_field(s, scale_ok, "scale", std::string(to_string(s.scale)),
              f.scale ? std::string(to_string(*f.scale)) : "f16, bf16 or f32");
}

void check_columns(const QuantScheme& s, const Dim& columns) {
  if (!has_blocks(s.method) || equal(mod(columns, s.group), 0) == Proof::yes) return;
  check_field(s, false, "last axis", to_string(columns), fmt::format("a multiple of {}", s.group));
}

int64_t packed_bytes(const QuantScheme& scheme, int64_t rows, int64_t columns) {
  check_columns(scheme, columns);
  // columns / 8 first: columns · bits may leave i64 where the bytes do not.
  const bool blocks = has_blocks(scheme.method);
  const int64_t codes = blocks ? 0 : columns / 8 * scheme.bits + ceil_div_sizes(columns % 8 * scheme.bits, 8);
  const int64_t group_bytes = blocks ? facts(scheme.method).block_bytes
                                     : bits(scheme.scale) / 8 * (scheme.method == QuantMethod::affine ? 2 : 1);
  int64_t scales, row, total;
  if (__builtin_mul_overflow(ceil_div_sizes(columns, scheme.group), group_bytes, &scales) ||
      __builtin_add_overflow(codes, scales, &row) || __builtin_mul_overflow(rows, row, &total)) {
    throw Error(Code::limit,
                fmt::format("a packed tensor of {} rows of {} elements has more than 2^63 - 1 bytes", rows, columns));
  }
  return total;
}

std::string to_string(const QuantScheme& s) {
  return fmt::format("{}, bits={}, group={}, scale={}", to_string(s.method), s.bits, s.group, to_string(s.scale));
}

// ----------------------------------------------------------------------------------------------------------- type

std::string to_string(const TensorType& type) {
  const std::string scheme = type.scheme ? fmt::format("<{}>", to_string(*type.scheme)) : "";
  return fmt::format("{}{}{}", to_string(type.dtype), scheme, to_string(type.shape));
}

std::string to_string(const Shape& shape) {
  std::string text = "[";
  for (const Dim& dim : shape) {
    if (text.size() > 1) text += ", ";
    text += to_string(dim);
  }
  return text + "]";
}

Dim element_count(const Shape& shape) {
  Dim product = 1;
  for (const Dim& dim : shape) product = product * dim;
  return product;
}

Proof equal(const TensorType& a, const TensorType& b) {
  if (a.dtype != b.dtype || a.scheme != b.scheme) return Proof::no;
  return equal(a.shape, b.shape);
}

Proof equal(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return Proof::no;
  Proof weakest = Proof::yes;
  for (size_t i = 0; i < a.size(); ++i) weakest = std::min(weakest, equal(a[i], b[i]));
  return weakest;
}

std::optional<std::vector<int64_t>> literal_sizes(const Shape& shape) {
  std::vector<int64_t> sizes;
  for (const Dim& dim : shape) {
    if (!dim.is_literal()) return {};
    sizes.push_back(dim.literal());
  }
  return sizes;
}

}  // namespace ingot
