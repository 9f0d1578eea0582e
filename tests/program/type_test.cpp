// Dtype facts, promotion, quantisation schemes, tensor types and tensors. Expectations are worked out by hand.
#include "program/type.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "program/error.h"
#include "program/tensor.h"
#include "tests/program/io_support.h"

namespace ingot {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

using test::message_of;

std::vector<DType> all_dtypes() {
  std::vector<DType> all;
  for (int i = 0; i <= static_cast<int>(DType::packed); ++i) all.push_back(static_cast<DType>(i));
  return all;
}

// ---------------------------------------------------------------------------------------------------------- dtypes

// The first row and column name the operands; `-` where no dtype holds both.
constexpr const char* promotion_table = R"(
.     bool u8   u16  u32  u64  i8   i16  i32  i64  f16  bf16 f32 f64 c64
bool  bool u8   u16  u32  u64  i8   i16  i32  i64  f16  bf16 f32 f64 c64
u8    u8   u8   u16  u32  u64  i16  i16  i32  i64  f16  bf16 f32 f64 c64
u16   u16  u16  u16  u32  u64  i32  i32  i32  i64  f16  bf16 f32 f64 c64
u32   u32  u32  u32  u32  u64  i64  i64  i64  i64  f16  bf16 f32 f64 c64
u64   u64  u64  u64  u64  u64  -    -    -    -    f16  bf16 f32 f64 c64
i8    i8   i16  i32  i64  -    i8   i16  i32  i64  f16  bf16 f32 f64 c64
i16   i16  i16  i32  i64  -    i16  i16  i32  i64  f16  bf16 f32 f64 c64
i32   i32  i32  i32  i64  -    i32  i32  i32  i64  f16  bf16 f32 f64 c64
i64   i64  i64  i64  i64  -    i64  i64  i64  i64  f16  bf16 f32 f64 c64
f16   f16  f16  f16  f16  f16  f16  f16  f16  f16  f16  f32  f32 f64 c64
bf16  bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 bf16 f32  bf16 f32 f64 c64
f32   f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32  f32 f64 c64
f64   f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64  f64 f64 -
c64   c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64  c64 -   c64
)";

std::vector<std::vector<std::string>> words_of(const char* table) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(table);
  for (std::string line, word; std::getline(lines, line);) {
    if (line.empty()) continue;
    std::istringstream words(line);
    for (rows.emplace_back(); words >> word;) rows.back().push_back(word);
  }
  return rows;
}

TEST(DTypes, PromoteAsTheTableSays) {
  const auto table = words_of(promotion_table);
  ASSERT_EQ(table.size(), 15u);
  for (size_t row = 1; row < table.size(); ++row) {
    ASSERT_EQ(table[row].size(), 15u);
    for (size_t column = 1; column < table[row].size(); ++column) {
      const auto result =
          promote(parse_enum<DType>(table[row][0]).value(), parse_enum<DType>(table[0][column]).value());
      EXPECT_EQ(result ? to_string(*result) : "-", table[row][column]) << table[row][0] << " " << table[0][column];
    }
  }
}

TEST(DTypes, StoragePromotesWithItselfOnly) {
  for (const DType a : all_dtypes()) {
    for (const DType b : all_dtypes()) {
      if (kind(a) != Kind::storage && kind(b) != Kind::storage) continue;
      EXPECT_EQ(promote(a, b), a == b ? std::optional(a) : std::nullopt) << to_string(a) << " " << to_string(b);
    }
  }
}

TEST(DTypes, Facts) {
  const int bits_in_order[] = {8, 8, 16, 32, 64, 8, 16, 32, 64, 16, 16, 32, 64, 64, 8, 8, 8, 4, 4, 4, 2, 2, 0};
  for (const DType d : all_dtypes()) EXPECT_EQ(bits(d), bits_in_order[static_cast<int>(d)]) << to_string(d);
  EXPECT_TRUE(is_integer(DType::u8) && is_integer(DType::i64) && !is_integer(DType::bool_) && !is_integer(DType::u4));
  EXPECT_TRUE(is_real(DType::bf16) && !is_real(DType::c64) && !is_real(DType::f8e4m3));
  EXPECT_TRUE(is_number(DType::c64) && is_number(DType::u8) && !is_number(DType::bool_) && !is_number(DType::packed));
}

// --------------------------------------------------------------------------------------------------------- schemes

TEST(Schemes, ChecksEveryField) {
  check({QuantMethod::affine, 2, 1, DType::f16});
  check({QuantMethod::affine, 8, 4096, DType::f32});
  check({QuantMethod::symmetric, 5, 32, DType::bf16});
  check({QuantMethod::mxfp4, 4, 32, DType::f8e8m0});
  check({QuantMethod::mxfp8, 8, 32, DType::f8e8m0});
  check({QuantMethod::nvfp4, 4, 16, DType::f8e4m3});
  check({QuantMethod::nf4, 4, 1, DType::bf16});
  check({QuantMethod::fp8_e4m3, 8, 128, DType::f32});
  check({QuantMethod::fp8_e5m2, 8, 7, DType::f16});
  check({QuantMethod::q5_1, 5, 32, DType::f16});
  check({QuantMethod::q8_k, 8, 256, DType::f32});
}

// Every method has facts of its own: none is taken for another.
TEST(Schemes, FactsOfEveryMethod) {
  for (size_t i = 0; i < EnumNames<QuantMethod>::names.size(); ++i) {
    const MethodFacts& f = facts(static_cast<QuantMethod>(i));
    EXPECT_EQ(static_cast<size_t>(f.method), i);
    if (!has_blocks(f.method)) continue;
    check({f.method, *f.bits, *f.group, *f.scale});
    EXPECT_EQ(packed_bytes({f.method, *f.bits, *f.group, *f.scale}, 3, 512), 3 * 512 / *f.group * f.block_bytes);
  }
}

TEST(Schemes, BlocksAreWhole) {
  const QuantScheme q4_0{QuantMethod::q4_0, 4, 32, DType::f16};
  const Symbol s("S");
  check_columns(q4_0, 0);
  check_columns(q4_0, Dim(s) * 64);
  check_columns({QuantMethod::nf4, 4, 32, DType::f16}, 33);
  const char* message = "last axis of q4_0 scheme is 33, expected a multiple of 32";
  EXPECT_EQ(message_of([&] { check_columns(q4_0, 33); }, Code::out_of_range), message);
  EXPECT_EQ(message_of([&] { packed_bytes(q4_0, 0, 33); }, Code::out_of_range), message);
  EXPECT_EQ(message_of([&] { check_columns(q4_0, s); }, Code::out_of_range),
            "last axis of q4_0 scheme is S, expected a multiple of 32");
}

struct BadScheme {
  QuantScheme scheme;
  const char* message;
};

TEST(Schemes, RefusesWhatTheMethodDoesNotAllow) {
  const BadScheme rows[] = {
      {{QuantMethod::affine, 1, 64, DType::f16}, "bits of affine scheme is 1, expected 2 to 8"},
      {{QuantMethod::affine, 9, 64, DType::f16}, "bits of affine scheme is 9, expected 2 to 8"},
      {{QuantMethod::symmetric, 4, 0, DType::f16}, "group of symmetric scheme is 0, expected at least 1"},
      {{QuantMethod::symmetric, 4, -5, DType::f16}, "group of symmetric scheme is -5, expected at least 1"},
      {{QuantMethod::affine, 4, 64, DType::f64}, "scale of affine scheme is f64, expected f16, bf16 or f32"},
      {{QuantMethod::affine, 4, 64, DType::packed}, "scale of affine scheme is packed, expected f16, bf16 or f32"},
      {{QuantMethod::mxfp4, 8, 32, DType::f8e8m0}, "bits of mxfp4 scheme is 8, expected 4"},
      {{QuantMethod::mxfp4, 4, 16, DType::f8e8m0}, "group of mxfp4 scheme is 16, expected 32"},
      {{QuantMethod::mxfp8, 4, 32, DType::f8e8m0}, "bits of mxfp8 scheme is 4, expected 8"},
      {{QuantMethod::mxfp8, 8, 32, DType::f8e4m3}, "scale of mxfp8 scheme is f8e4m3, expected f8e8m0"},
      {{QuantMethod::nvfp4, 4, 32, DType::f8e4m3}, "group of nvfp4 scheme is 32, expected 16"},
      {{QuantMethod::nvfp4, 4, 16, DType::f16}, "scale of nvfp4 scheme is f16, expected f8e4m3"},
      {{QuantMethod::nf4, 2, 64, DType::f16}, "bits of nf4 scheme is 2, expected 4"},
      {{QuantMethod::fp8_e4m3, 8, 0, DType::f16}, "group of fp8_e4m3 scheme is 0, expected at least 1"},
      {{QuantMethod::q2_k, 2, 64, DType::f16}, "group of q2_k scheme is 64, expected 256"},
      {{QuantMethod::q8_k, 8, 256, DType::f16}, "scale of q8_k scheme is f16, expected f32"},
      {{QuantMethod::iq1_s, 2, 256, DType::f16}, "bits of iq1_s scheme is 2, expected 1"},
  };
  for (const BadScheme& row : rows) {
    EXPECT_EQ(message_of([&] { check(row.scheme); }, Code::out_of_range), row.message);
  }
}

struct PackedCase {
  QuantScheme scheme;
  int64_t rows, columns, bytes;
};

// codes + scales + biases, rows · (ceil(K·bits / 8) + ceil(K / group) · bytes of a group)
TEST(Schemes, PackedBytes) {
  const PackedCase cases[] = {
      {{QuantMethod::affine, 2, 64, DType::f16}, 1, 64, 16 + 2 + 2},
      {{QuantMethod::affine, 2, 8, DType::f16}, 3, 9, 3 * (3 + 2 * 2 + 2 * 2)},
      {{QuantMethod::affine, 3, 64, DType::f16}, 2, 65, 2 * (25 + 2 * 2 + 2 * 2)},
      {{QuantMethod::affine, 4, 32, DType::bf16}, 5, 31, 5 * (16 + 2 + 2)},
      {{QuantMethod::affine, 5, 32, DType::f32}, 1, 33, 21 + 2 * 4 + 2 * 4},
      {{QuantMethod::affine, 6, 10, DType::f32}, 1, 21, 16 + 3 * 4 + 3 * 4},
      {{QuantMethod::affine, 7, 7, DType::f16}, 4, 7, 4 * (7 + 2 + 2)},
      {{QuantMethod::affine, 8, 128, DType::f16}, 2, 129, 2 * (129 + 2 * 2 + 2 * 2)},
      {{QuantMethod::symmetric, 2, 3, DType::f16}, 1, 5, 2 + 2 * 2},
      {{QuantMethod::nf4, 4, 3, DType::bf16}, 2, 5, 2 * (3 + 2 * 2)},
      {{QuantMethod::fp8_e5m2, 8, 64, DType::f32}, 1, 65, 65 + 2 * 4},
      {{QuantMethod::q4_0, 4, 32, DType::f16}, 5, 96, 5 * 3 * 18},
      {{QuantMethod::iq1_m, 1, 256, DType::f16}, 2, 256, 2 * 56},
      {{QuantMethod::symmetric, 3, 4, DType::f32}, 2, 11, 2 * (5 + 3 * 4)},
      {{QuantMethod::symmetric, 8, 1, DType::bf16}, 1, 6, 6 + 6 * 2},
      {{QuantMethod::mxfp4, 4, 32, DType::f8e8m0}, 3, 33, 3 * (17 + 2)},
      {{QuantMethod::mxfp8, 8, 32, DType::f8e8m0}, 3, 64, 3 * (64 + 2)},
      {{QuantMethod::nvfp4, 4, 16, DType::f8e4m3}, 2, 17, 2 * (9 + 2)},
      {{QuantMethod::affine, 4, 64, DType::f16}, 0, 64, 0},
      {{QuantMethod::affine, 4, 64, DType::f16}, 7, 0, 0},
      {{QuantMethod::symmetric, 2, kMax, DType::f16}, 1, kMax, (int64_t{1} << 61) + 2},
  };
  for (const PackedCase& c : cases) {
    check(c.scheme);
    EXPECT_EQ(packed_bytes(c.scheme, c.rows, c.columns), c.bytes) << to_string(c.scheme) << " " << c.columns;
  }
}

TEST(Schemes, PackedBytesThatOverflow) {
  const QuantScheme eight{QuantMethod::affine, 8, 1, DType::f32};
  for (const auto& [rows, columns] :
       {std::pair{int64_t{1}, kMax}, {kMax, int64_t{1}}, {int64_t{1} << 32, int64_t{1} << 31}}) {
    EXPECT_EQ(message_of([&, r = rows, c = columns] { packed_bytes(eight, r, c); }, Code::limit),
              "a packed tensor of " + std::to_string(rows) + " rows of " + std::to_string(columns) +
                  " elements has more than 2^63 - 1 bytes");
  }
}

// ----------------------------------------------------------------------------------------------------------- types

const QuantScheme int4{QuantMethod::affine, 4, 64, DType::f16};

TEST(Types, Text) {
  const Symbol s("S", 1);
  EXPECT_EQ(to_string(TensorType{DType::f32, {2, Dim(s) + 1}, {}}), "f32[2, S + 1]");
  EXPECT_EQ(to_string(TensorType{DType::bool_, {}, {}}), "bool[]");
  EXPECT_EQ(to_string(TensorType{DType::packed, {Symbol("N"), 4096}, int4}),
            "packed<affine, bits=4, group=64, scale=f16>[N, 4096]");
}

TEST(Types, ElementCountIsAProduct) {
  const Symbol s("S");
  EXPECT_EQ(element_count(Shape{}), Dim(1));
  EXPECT_EQ(element_count(Shape{2, 3, 4}), Dim(24));
  EXPECT_EQ(element_count(Shape{2, s, 3}), Dim(6) * s);
}

TEST(Types, EqualityIsProvenAxisByAxis) {
  const Symbol s("S", 1, 8), t("T", 1, 8), u("U", 10, 20);
  EXPECT_EQ(equal(Shape{2, s}, Shape{2, s}), Proof::yes);
  EXPECT_EQ(equal(Shape{2, s}, Shape{2, t}), Proof::unknown);
  EXPECT_EQ(equal(Shape{2, s}, Shape{3, t}), Proof::no);
  EXPECT_EQ(equal(Shape{2, s}, Shape{2, u}), Proof::no);
  EXPECT_EQ(equal(Shape{2}, Shape{2, 1}), Proof::no);
  EXPECT_EQ(equal(TensorType{DType::f32, {s}, {}}, TensorType{DType::f32, {s}, {}}), Proof::yes);
  EXPECT_EQ(equal(TensorType{DType::f32, {s}, {}}, TensorType{DType::f16, {s}, {}}), Proof::no);
  QuantScheme int8 = int4;
  int8.bits = 8;
  EXPECT_EQ(equal(TensorType{DType::packed, {s}, int4}, TensorType{DType::packed, {s}, int8}), Proof::no);
}

TEST(Types, LiteralSizes) {
  EXPECT_EQ(literal_sizes({2, 0, 5}), (Sizes{2, 0, 5}));
  EXPECT_EQ(literal_sizes({2, Symbol("S")}), std::nullopt);
}

// --------------------------------------------------------------------------------------------------------- tensors

TEST(Tensors, CountsBytes) {
  EXPECT_EQ(element_count(Sizes{}), 1);
  EXPECT_EQ(element_count(Sizes{3, 0, 5}), 0);
  EXPECT_EQ(byte_count(DType::c64, Sizes{2, 3}), 48);
  EXPECT_EQ(byte_count(DType::bool_, Sizes{7}), 7);
  EXPECT_EQ(byte_count(DType::u4, Sizes{3, 3}), 5);
  EXPECT_EQ(byte_count(DType::i2, Sizes{5}), 2);
  EXPECT_EQ(byte_count(DType::i2, Sizes{kMax}), int64_t{1} << 61);
  EXPECT_EQ(byte_count(DType::packed, Sizes{2, 3, 64}, int4), 6 * (32 + 4));
}

TEST(Tensors, RefusesSizesThatCannotBe) {
  EXPECT_EQ(message_of([] { element_count(Sizes{2, -1}); }, Code::out_of_range),
            "size of axis 1 is -1, expected 0 or more");
  // A zero hides no overflow: strides are products of the others.
  EXPECT_EQ(message_of([] { element_count(Sizes{0, int64_t{1} << 32, int64_t{1} << 31}); }, Code::limit),
            "the sizes of axes 0 to 2 multiply to more than 2^63 - 1 elements");
  EXPECT_EQ(message_of([] { byte_count(DType::f64, Sizes{int64_t{1} << 60}); }, Code::limit),
            "1152921504606846976 elements of f64 have more than 2^63 - 1 bytes");
  EXPECT_EQ(message_of([] { Tensor::allocate(DType::u8, {kMax}); }, Code::limit),
            "a tensor of 9223372036854775807 bytes does not fit into memory");
}

TEST(Tensors, HoldsWhatWasPutIn) {
  const auto t = Tensor::of<int16_t>({2, 2}, {1, -2, 3, -4});
  EXPECT_EQ(to_string(t.type()), "i16[2, 2]");
  EXPECT_EQ(t.elements(), 4);
  EXPECT_EQ(std::vector(t.as<int16_t>().begin(), t.as<int16_t>().end()), (std::vector<int16_t>{1, -2, 3, -4}));
  EXPECT_EQ(message_of([&] { t.as<float>(); }, Code::type_mismatch), "dtype of a tensor is i16, expected f32");
}

TEST(Tensors, DefaultIsAZero) {
  const Tensor zero;
  EXPECT_EQ(to_string(zero.type()), "f32[]");
  ASSERT_EQ(zero.as<float>().size(), 1u);
  EXPECT_EQ(zero.as<float>()[0], 0.0f);
}

TEST(Tensors, AllocationIsWritableAndAligned) {
  Tensor t = Tensor::allocate(DType::f32, {3});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(t.bytes().data()) % 64, 0u);
  std::ranges::fill(t.mutable_bytes(), std::byte{0});
  EXPECT_EQ(t.as<float>()[2], 0.0f);
  EXPECT_TRUE(Tensor::allocate(DType::f32, {0, 3}).bytes().empty());
  EXPECT_EQ(Tensor::allocate(DType::packed, {2, 64}, int4).bytes().size(), 72u);
}

TEST(Tensors, SharesItsBytes) {
  const auto a = Tensor::of<uint8_t>({4}, {1, 2, 3, 4});
  const Tensor b(DType::u16, {2}, a.buffer());
  EXPECT_EQ(b.bytes().data(), a.bytes().data());
  EXPECT_EQ(b.as<uint16_t>()[1], 0x0403);
}

TEST(Tensors, RefusesBytesThatAreNotTheType) {
  const Buffer four = Buffer::copy_of(std::vector<std::byte>(4));
  EXPECT_EQ(message_of([&] { Tensor(DType::f32, {2}, four); }, Code::type_mismatch),
            "byte length of f32[2] is 4, expected 8");
  EXPECT_EQ(message_of([&] { Tensor(DType::packed, {2}, four); }, Code::type_mismatch),
            "quantisation scheme of a tensor of packed is missing, expected present");
  EXPECT_EQ(message_of([&] { Tensor(DType::f32, {1}, four, int4); }, Code::type_mismatch),
            "quantisation scheme of a tensor of f32 is affine, bits=4, group=64, scale=f16, expected none");
  EXPECT_EQ(message_of([&] { Tensor(DType::packed, {}, four, int4); }, Code::type_mismatch),
            "rank of a packed tensor is 0, expected at least 1");
  EXPECT_EQ(
      message_of([&] { Tensor(DType::packed, {1}, four, QuantScheme{QuantMethod::affine, 1}); }, Code::out_of_range),
      "bits of affine scheme is 1, expected 2 to 8");
}

}  // namespace
}  // namespace ingot
