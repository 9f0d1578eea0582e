#include "program/text/contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "program/float_format.h"
#include "program/scalar.h"
#include "program/text.h"
#include "program/text/parse_types.h"

namespace ingot::text {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are stored with their low byte first");

enum class Form { boolean, unsigned_int, signed_int, real, complex, opaque };

Form form(DType dtype) {
  switch (dtype) {
    case DType::u4:
    case DType::u2: return Form::unsigned_int;
    case DType::i4:
    case DType::i2: return Form::signed_int;
    default: break;
  }
  switch (kind(dtype)) {
    case Kind::boolean: return Form::boolean;
    case Kind::unsigned_int: return Form::unsigned_int;
    case Kind::signed_int: return Form::signed_int;
    case Kind::complex: return Form::complex;
    case Kind::real:
    case Kind::storage: break;
  }
  return float_format(dtype) ? Form::real : Form::opaque;
}

uint64_t low_bits(int count) { return ~uint64_t{0} >> (64 - count); }

uint64_t load(std::span<const std::byte> bytes, int width, size_t index) {
  uint64_t value = 0;
  if (width >= 8) {
    const auto size = static_cast<size_t>(width / 8);
    std::memcpy(&value, bytes.data() + index * size, size);
    return value;
  }
  const size_t per_byte = 8 / static_cast<size_t>(width);
  return std::to_integer<uint64_t>(bytes[index / per_byte]) >> (index % per_byte * static_cast<size_t>(width)) &
         low_bits(width);
}

// ----------------------------------------------------------------------------------------------------------- printing

// The fewest digits that come back to the same bits.
std::string small_real_text(const FloatFormat& format, uint64_t bits) {
  const double value = decode(format, bits);
  if (std::isfinite(value) && value != std::trunc(value)) {
    for (int digits = 1; digits < 9; ++digits) {
      std::string text = fmt::format("{:.{}g}", value, digits);
      if (const auto read = real_of<double>(text); !read || encode(format, *read) != bits) continue;
      return text.find_first_of(".e") == text.npos ? text + ".0" : text;
    }
  }
  return real_text(static_cast<float>(value));
}

std::string float_text(uint64_t bits) { return real_text(std::bit_cast<float>(static_cast<uint32_t>(bits))); }

std::string real_element_text(DType dtype, uint64_t bits) {
  if (dtype == DType::f64) return real_text(std::bit_cast<double>(bits));
  return dtype == DType::f32 ? float_text(bits) : small_real_text(*float_format(dtype), bits);
}

// Whether the bits are what their number is written as; only a NaN has others.
bool is_canonical(DType dtype, uint64_t bits) {
  const FloatFormat format = *float_format(dtype);
  const double value = decode(format, bits);
  return !std::isnan(value) || encode(format, value) == bits;
}

bool is_exact(DType dtype, uint64_t bits) {
  switch (form(dtype)) {
    case Form::boolean: return bits <= 1;
    case Form::real: return is_canonical(dtype, bits);
    case Form::complex: return is_canonical(DType::f32, bits & low_bits(32)) && is_canonical(DType::f32, bits >> 32);
    default: return true;
  }
}

bool is_list(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (form(dtype) == Form::opaque) return false;
  const int width = bits(dtype);
  const auto count = static_cast<size_t>(tensor.elements());
  for (size_t i = 0; i < count; ++i) {
    if (!is_exact(dtype, load(tensor.bytes(), width, i))) return false;
  }
  if (width >= 8) return true;
  const size_t slots = tensor.bytes().size() * 8 / static_cast<size_t>(width);
  for (size_t i = count; i < slots; ++i) {
    if (load(tensor.bytes(), width, i) != 0) return false;
  }
  return true;
}

void append_element(std::string& out, DType dtype, uint64_t bits) {
  switch (form(dtype)) {
    case Form::boolean: out += bits ? "true" : "false"; return;
    case Form::unsigned_int: fmt::format_to(std::back_inserter(out), "{}", bits); return;
    case Form::signed_int: {
      const int shift = 64 - ingot::bits(dtype);
      fmt::format_to(std::back_inserter(out), "{}", static_cast<int64_t>(bits << shift) >> shift);
      return;
    }
    case Form::real: out += real_element_text(dtype, bits); return;
    case Form::complex:
      fmt::format_to(std::back_inserter(out), "complex({}, {})", float_text(bits), float_text(bits >> 32));
      return;
    case Form::opaque: return;
  }
}

void append_hex(std::string& out, std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  out += "hex\"";
  for (std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    out += digits[value >> 4];
    out += digits[value & 15];
  }
  out += '"';
}

// ------------------------------------------------------------------------------------------------------------ parsing

[[noreturn]] void fail_element(const Lexer& lexer, const Number& number, DType dtype) {
  lexer.fail(number.at, fmt::format("{} is no number that {} holds", shown(number.text), to_string(dtype)));
}

uint64_t parse_integer_element(Lexer& lexer, DType dtype, bool is_signed) {
  const Number number = lexer.number("an integer");
  const int width = bits(dtype);
  if (!is_signed) {
    const auto value = integer_of<uint64_t>(number.text);
    if (number.integer && value && *value <= low_bits(width)) return *value;
    fail_element(lexer, number, dtype);
  }
  const auto value = integer_of<int64_t>(number.text);
  const int64_t limit = static_cast<int64_t>(low_bits(width - 1));
  if (number.integer && value && *value <= limit && *value >= -limit - 1)
    return static_cast<uint64_t>(*value) & low_bits(width);
  fail_element(lexer, number, dtype);
}

uint64_t parse_real_element(Lexer& lexer, DType dtype) {
  const Number number = lexer.number("a number");
  // f32 not by way of f64, which would round twice. f8e8m0 holds powers of two alone, and their text is that of an f32.
  const bool as_float = dtype == DType::f32 || dtype == DType::f8e8m0;
  const std::optional<double> value =
      as_float ? std::optional<double>(real_of<float>(number.text)) : real_of<double>(number.text);
  const auto bits = value ? encode(*float_format(dtype), *value) : std::nullopt;
  if (!bits) fail_element(lexer, number, dtype);
  return *bits;
}

uint64_t parse_element(Lexer& lexer, DType dtype) {
  switch (form(dtype)) {
    case Form::boolean: return lexer.boolean("an element");
    case Form::unsigned_int: return parse_integer_element(lexer, dtype, false);
    case Form::signed_int: return parse_integer_element(lexer, dtype, true);
    case Form::real: return parse_real_element(lexer, dtype);
    case Form::complex: return Scalar(parse_complex(lexer)).bits;
    case Form::opaque: break;
  }
  lexer.fail_expected("hex\"…\" for the contents of a packed tensor");
}

// Elements one after the other, narrow ones low bits first.
class ElementWriter {
 public:
  explicit ElementWriter(int width) : width_(width) {}

  void add(uint64_t bits) {
    if (width_ >= 8) {
      const auto* first = reinterpret_cast<const std::byte*>(&bits);
      bytes.insert(bytes.end(), first, first + width_ / 8);
      return;
    }
    if (used_ == 0) bytes.push_back({});
    bytes.back() |= static_cast<std::byte>(bits << used_);
    used_ = (used_ + width_) % 8;
  }

  std::vector<std::byte> bytes;

 private:
  int width_, used_ = 0;
};

std::vector<std::byte> parse_elements(Lexer& lexer, const TensorType& type, int64_t count) {
  const size_t at = lexer.at();
  ElementWriter writer(bits(type.dtype));
  int64_t read = 0;
  parse_list(lexer, "[", "]", "in the contents", [&] {
    if (read == count)
      lexer.fail(lexer.at(), fmt::format("the contents of {} have more than {} elements", to_string(type), count));
    writer.add(parse_element(lexer, type.dtype));
    ++read;
  });
  if (read != count)
    lexer.fail(at, fmt::format("the contents of {} have {} elements, expected {}", to_string(type), read, count));
  return std::move(writer.bytes);
}

std::vector<std::byte> parse_hex(Lexer& lexer, const TensorType& type, int64_t size) {
  const size_t at = lexer.at();
  const std::string_view digits = lexer.string("a string of hexadecimal digits");
  if (digits.size() % 2 != 0 || static_cast<uint64_t>(size) != digits.size() / 2) {
    lexer.fail(at, fmt::format("the contents of {} have {} hexadecimal digits, expected two for each of {} bytes",
                               to_string(type), digits.size(), size));
  }
  std::vector<std::byte> bytes(digits.size() / 2);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const int high = hex_digit(digits[2 * i]), low = hex_digit(digits[2 * i + 1]);
    if (high < 0 || low < 0) lexer.fail(at, fmt::format("byte {} of the contents is not two hexadecimal digits", i));
    bytes[i] = static_cast<std::byte>(high << 4 | low);
  }
  return bytes;
}

}  // namespace

void append_contents(std::string& out, const Tensor& tensor) {
  if (!is_list(tensor)) return append_hex(out, tensor.bytes());
  const auto count = static_cast<size_t>(tensor.elements());
  out += '[';
  for (size_t i = 0; i < count; ++i) {
    if (i) out += ", ";
    append_element(out, tensor.dtype(), load(tensor.bytes(), bits(tensor.dtype()), i));
  }
  out += ']';
}

Tensor parse_contents(Lexer& lexer, const TensorType& type) {
  const Sizes sizes = *literal_sizes(type.shape);
  const int64_t size = byte_count(type.dtype, sizes, type.scheme);
  const std::vector<std::byte> bytes =
      lexer.accept_word("hex") ? parse_hex(lexer, type, size) : parse_elements(lexer, type, element_count(sizes));
  return Tensor(type.dtype, sizes, Buffer::copy_of(bytes), type.scheme);
}

}  // namespace ingot::text

namespace ingot {

std::string print_contents(const Tensor& tensor) {
  std::string out;
  text::append_contents(out, tensor);
  return out;
}

Tensor parse_contents(std::string_view contents, const TensorType& type) {
  text::Lexer lexer(contents, "<contents>");
  Tensor tensor = text::parse_contents(lexer, type);
  if (!lexer.at_end()) lexer.fail_expected("the end of the contents");
  return tensor;
}

}  // namespace ingot
