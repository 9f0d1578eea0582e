// Contents of weights. The bits of numbers are from the definitions of the formats: IEEE 754, bfloat16, OCP 8-bit and
// microscaling.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "program/error.h"
#include "program/text.h"

namespace ingot {
namespace {

std::string hex(std::span<const std::byte> bytes) {
  std::string text;
  for (std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<unsigned>(byte));
  return text;
}

TensorType type_of(DType dtype, int64_t count) { return {dtype, {count}, {}}; }

// A list of numbers, its bytes with the low one first, and the list as it is printed where that is another.
struct Row {
  DType dtype;
  int64_t count;
  std::string_view text;
  std::string_view bytes;
  std::string_view printed = text;
};

constexpr Row rows[] = {
    {DType::bool_, 2, "[true, false]", "0100"},
    {DType::u8, 3, "[0, 1, 255]", "0001ff"},
    {DType::u16, 2, "[1, 65535]", "0100ffff"},
    {DType::u32, 2, "[1, 4294967295]", "01000000ffffffff"},
    {DType::u64, 1, "[18446744073709551615]", "ffffffffffffffff"},
    {DType::i8, 3, "[-1, -128, 127]", "ff807f"},
    {DType::i16, 2, "[-2, -32768]", "feff0080"},
    {DType::i32, 2, "[-2, -2147483648]", "feffffff00000080"},
    {DType::i64, 1, "[-9223372036854775808]", "0000000000000080"},
    {DType::i4, 3, "[-8, 7, -1]", "780f"},
    {DType::u4, 3, "[15, 1, 2]", "1f02"},
    {DType::i2, 5, "[-2, -1, 0, 1, 1]", "4e01"},
    {DType::u2, 5, "[3, 2, 1, 0, 3]", "1b03"},
    {DType::f64, 4, "[1.0, -0.0, inf, nan]", "000000000000f03f0000000000000080000000000000f07f000000000000f87f"},
    {DType::f64, 2, "[5e-324, 1.7976931348623157e+308]", "0100000000000000ffffffffffffef7f"},
    {DType::f32, 5, "[1.0, -0.0, -inf, nan, -nan]", "0000803f00000080000080ff0000c07f0000c0ff"},
    {DType::f32, 3, "[0.1, 1e-45, 3.4028235e+38]", "cdcccc3d01000000ffff7f7f"},
    {DType::f32, 1, "[1.00000017881393432617187499]", "0100803f", "[1.0000001]"},  // by way of f64 it would be ...02
    {DType::f16, 6, "[1.0, -2.0, 65504.0, inf, nan, -0.0]", "003c00c0ff7b007c007e0080"},
    {DType::f16, 3, "[0.1, 6e-08, 6.104e-05]", "662e01000004"},
    {DType::bf16, 5, "[1.0, -2.0, inf, -nan, -0.0]", "803f00c0807fc0ff0080"},
    {DType::bf16, 2, "[0.1, 3.3895314e+38]", "cd3d7f7f"},
    {DType::c64, 2, "[complex(1.0, -0.0), complex(nan, inf)]", "0000803f000000800000c07f0000807f"},
    {DType::f8e4m3, 6, "[1.0, 448.0, nan, -0.0, -1.5, 0.002]", "387e7f80bc01"},
    {DType::f8e5m2, 6, "[1.0, 57344.0, inf, nan, -0.0, 2e-05]", "3c7b7c7e8001"},
    {DType::f8e8m0, 5, "[1.0, 0.5, 5.877472e-39, 1.7014118e+38, nan]", "7f7e00feff"},
    {DType::f4e2m1, 8, "[0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]", "10325476"},
    {DType::f4e2m1, 3, "[-0.0, -6.0, -0.5]", "f809"},
    {DType::f32, 3, "[1, -2, 3e0]", "0000803f000000c000004040", "[1.0, -2.0, 3.0]"},
    {DType::f16, 1, "[2049]", "0068", "[2048.0]"},  // to nearest, ties to even
    {DType::f32, 0, "[]", ""},
};

TEST(Contents, ListsOfEveryDtype) {
  for (const Row& row : rows) {
    SCOPED_TRACE(fmt::format("{} {}", to_string(row.dtype), row.text));
    const Tensor tensor = parse_contents(row.text, type_of(row.dtype, row.count));
    EXPECT_EQ(hex(tensor.bytes()), row.bytes);
    EXPECT_EQ(print_contents(tensor), row.printed);
    const Tensor from_hex = parse_contents(fmt::format("hex\"{}\"", row.bytes), type_of(row.dtype, row.count));
    EXPECT_EQ(print_contents(from_hex), row.printed);
  }
}

// What a list would lose is written byte by byte.
TEST(Contents, BytesWhereAListWouldNotDo) {
  constexpr Row exact[] = {
      {DType::bool_, 2, "hex\"0102\"", "0102"},
      {DType::f32, 1, "hex\"0100c07f\"", "0100c07f"},                  // a NaN with a payload
      {DType::f32, 2, "hex\"0000803f0000a07f\"", "0000803f0000a07f"},  // a signalling one
      {DType::f64, 1, "hex\"000000000000f4ff\"", "000000000000f4ff"},
      {DType::f16, 1, "hex\"017e\"", "017e"},
      {DType::bf16, 1, "hex\"817f\"", "817f"},
      {DType::f8e5m2, 1, "hex\"7d\"", "7d"},
      {DType::c64, 1, "hex\"0000803f0100c07f\"", "0000803f0100c07f"},
      {DType::i4, 1, "hex\"10\"", "10"},  // padding that is not 0
      {DType::u2, 1, "hex\"43\"", "43"},
  };
  for (const Row& row : exact) {
    SCOPED_TRACE(row.text);
    const Tensor tensor = parse_contents(row.text, type_of(row.dtype, row.count));
    EXPECT_EQ(hex(tensor.bytes()), row.bytes);
    EXPECT_EQ(print_contents(tensor), row.text);
  }
}

TEST(Contents, PackedTensorsAreBytes) {
  const TensorType type{DType::packed, {2, 3}, QuantScheme{QuantMethod::symmetric, 4, 2, DType::f16}};
  // Two rows of 2 bytes of codes, then two scales for each row.
  const std::string text = "hex\"21032103003c003c003c003C\"";
  const Tensor tensor = parse_contents(text, type);
  EXPECT_EQ(hex(tensor.bytes()), "21032103003c003c003c003c");
  EXPECT_EQ(print_contents(tensor), "hex\"21032103003c003c003c003c\"");
}

// Every pattern of 16 bits or fewer comes back.
TEST(Contents, EveryPatternOfSmallDtypes) {
  constexpr DType dtypes[] = {DType::f16,    DType::bf16,   DType::f8e4m3, DType::f8e5m2,
                              DType::f8e8m0, DType::f4e2m1, DType::i4,     DType::u2};
  for (DType dtype : dtypes) {
    const size_t unit = bits(dtype) == 16 ? 2 : 1, patterns = unit == 2 ? 65536 : 256;
    for (size_t pattern = 0; pattern < patterns; ++pattern) {
      const std::byte bytes[] = {static_cast<std::byte>(pattern), static_cast<std::byte>(pattern >> 8)};
      const int64_t count = bits(dtype) < 8 ? 8 / bits(dtype) : 1;
      const Tensor tensor(dtype, {count}, Buffer::copy_of(std::span(bytes, unit)));
      const std::string text = print_contents(tensor);
      ASSERT_EQ(hex(parse_contents(text, type_of(dtype, count)).bytes()), hex(tensor.bytes()))
          << to_string(dtype) << " " << text;
    }
  }
}

TEST(Contents, JunkAfterThem) {
  try {
    parse_contents("[1] 2", type_of(DType::u8, 1));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "<contents>:1:5: expected the end of the contents, got '2'");
  }
}

}  // namespace
}  // namespace ingot
