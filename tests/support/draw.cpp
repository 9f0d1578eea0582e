#include "tests/support/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

#include "program/float_format.h"

namespace ingot::test {
namespace {

using namespace std::string_view_literals;

// Some can stand bare, some need quotes, some are words of the grammar.
constexpr std::string_view odd_names[] = {
    "a b"sv,      "\""sv,       "back\\slash"sv, "é"sv,  "日本"sv, "a//b"sv, "line\nend"sv,  "\t"sv,
    "\xff\xfe"sv, "nul\0nul"sv, "%"sv,           "@w"sv, "[x]"sv,  "{y}"sv,  "\x7f"sv,       "\xc3"sv,
    "12"sv,       "3.1"sv,      "return"sv,      "_"sv,  "loc"sv,  "f32"sv,  "layers.0.w"sv, "a/b-c$"sv,
    "graph"sv,    "hex"sv,      "-"sv,           "/"sv,  "nan"sv,  "true"sv,
};

std::vector<DType> dtypes_of(Kinds kinds) {
  std::vector<DType> all;
  for (size_t i = 0; i <= static_cast<size_t>(DType::packed); ++i) {
    if (within(kinds, static_cast<DType>(i))) all.push_back(static_cast<DType>(i));
  }
  return all;
}

// The bits of one element, none of them a NaN.
uint64_t element(Draw& draw, DType dtype) {
  if (dtype == DType::bool_) return draw.below(2);
  if (dtype == DType::c64) return element(draw, DType::f32) | element(draw, DType::f32) << 32;
  const auto format = float_format(dtype);
  if (!format) return draw.below(2) ? draw.below(4) : ~draw.below(4);
  constexpr double numbers[] = {0.5, 1, 2, 4, 0, -0.0, -1, 1.5, -3, 0.1};
  const size_t powers = 4;
  return *encode(*format, numbers[draw.below(dtype == DType::f8e8m0 ? powers : std::size(numbers))]);
}

void store(std::span<std::byte> bytes, int width, size_t index, uint64_t value) {
  const size_t size = static_cast<size_t>(width) / 8;
  if (width >= 8) {
    std::memcpy(bytes.data() + index * size, &value, size);
    return;
  }
  const size_t bit = index * static_cast<size_t>(width);
  bytes[bit / 8] |= static_cast<std::byte>((value & ((1u << width) - 1)) << bit % 8);
}

}  // namespace

std::string Draw::name(std::string_view hint) {
  std::string name = chance(33) ? words() : fmt::format("{}{}", hint, names_.size());
  while (!names_.insert(name).second) name += fmt::format("{}", below(10));
  return name;
}

std::string Draw::words() {
  std::string text(pick(odd_names));
  if (chance(30)) text += static_cast<char>(below(256));
  return text;
}

DType Draw::dtype(Kinds kinds) { return pick(dtypes_of(kinds)); }
DType Draw::any_dtype() { return static_cast<DType>(below(static_cast<uint64_t>(DType::packed))); }

QuantScheme Draw::scheme(QuantMethod method) {
  constexpr DType scales[] = {DType::f16, DType::bf16, DType::f32};
  const MethodFacts& f = facts(method);
  return {method, f.bits ? *f.bits : static_cast<int>(between(2, 8)), f.group ? *f.group : between(1, 5),
          f.scale ? *f.scale : pick(scales)};
}

QuantScheme Draw::scheme() {
  auto method = value_of<QuantMethod>();
  while (has_blocks(method)) method = value_of<QuantMethod>();
  return scheme(method);
}

TensorType Draw::packed(Shape shape) {
  const QuantScheme scheme = this->scheme(value_of<QuantMethod>());
  if (has_blocks(scheme.method)) shape.back() = between(0, 2) * scheme.group;
  if (facts(scheme.method).searched) shape.erase(shape.begin(), shape.end() - 1);
  return {DType::packed, std::move(shape), scheme};
}

double Draw::real() {
  constexpr double numbers[] = {0.0, -0.0, 1.0, 0.1, -2.5, 1e-5, 1e300, 5e-324, 3.0000000000000004, 1e16};
  return pick(numbers);
}

Scalar Draw::scalar(DType dtype) {
  const int width = bits(dtype);
  switch (kind(dtype)) {
    case Kind::boolean: return static_cast<int64_t>(below(2));
    case Kind::unsigned_int: {
      const uint64_t value = chance(50) ? below(4) : ~uint64_t{0} >> (64 - width);
      return value > static_cast<uint64_t>(kUnbounded) ? Scalar(value) : Scalar(static_cast<int64_t>(value));
    }
    case Kind::signed_int: return chance(50) ? between(-4, 4) : std::numeric_limits<int64_t>::min() >> (64 - width);
    case Kind::complex:
      if (chance(60)) return std::complex<float>(static_cast<float>(between(-9, 9)) / 4, chance(50) ? -0.0f : 0.1f);
      break;
    case Kind::real:
    case Kind::storage: break;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double special[] = {infinity, -infinity, nan, -nan};
  if (chance(20)) return pick(special);
  return chance(80) ? Scalar(real()) : Scalar(between(-3, 3));
}

Tensor Draw::tensor(const TensorType& type) {
  Tensor tensor = Tensor::allocate(type.dtype, *literal_sizes(type.shape), type.scheme);
  const std::span<std::byte> bytes = tensor.mutable_bytes();
  std::ranges::fill(bytes, std::byte{});
  if (type.dtype == DType::packed || (type.dtype != DType::bool_ && chance(20))) {  // NaNs and padding among them
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(below(256));
    return tensor;
  }
  const auto count = static_cast<size_t>(tensor.elements());
  for (size_t i = 0; i < count; ++i) store(bytes, bits(type.dtype), i, element(*this, type.dtype));
  return tensor;
}

TensorType Draw::type(const std::vector<Symbol>& symbols) {
  if (chance(10)) return packed(shape(symbols, 1));
  return {chance(70) ? dtype() : any_dtype(), shape(symbols), {}};
}

Dim Draw::dim(const std::vector<Symbol>& symbols) {
  if (symbols.empty() || chance(60)) return chance(7) ? 0 : between(1, 4);
  const Dim a = pick(symbols), b = pick(symbols);
  switch (below(12)) {
    case 0: return a + 1;
    case 1: return 2 * a;
    case 2: return a + b;
    case 3: return floor_div(a, 2);
    case 4: return ceil_div(a + b, 3);
    case 5: return mod(a, 3);
    case 6: return min(a, 3);
    case 7: return max(a, b + 1);
    default: return a;
  }
}

Shape Draw::shape(const std::vector<Symbol>& symbols, size_t least_rank, size_t most_rank) {
  Shape shape(least_rank + below(most_rank - least_rank + 1));
  for (Dim& size : shape) size = dim(symbols);
  return shape;
}

int64_t Draw::axis(size_t rank) {
  const auto signed_rank = static_cast<int64_t>(rank);
  return between(-signed_rank, signed_rank - 1);
}

std::vector<int64_t> Draw::permutation(size_t rank) {
  std::vector<int64_t> axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  for (size_t i = rank; i > 1; --i) std::swap(axes[i - 1], axes[below(i)]);
  return axes;
}

std::vector<int64_t> Draw::axes(size_t rank) {
  std::vector<int64_t> axes = permutation(rank);
  axes.resize(below(rank + 1));
  for (int64_t& axis : axes) axis -= chance(30) ? static_cast<int64_t>(rank) : 0;
  return axes;
}

Shape Draw::narrowed(const Shape& shape) {
  Shape result(shape.begin() + static_cast<int64_t>(below(shape.size() + 1)) * chance(25), shape.end());
  for (Dim& size : result) {
    if (chance(20)) size = 1;
  }
  return result;
}

}  // namespace ingot::test
