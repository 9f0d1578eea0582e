// Types of convolutions.
#include <limits>

#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

TEST(InferConv, Conv) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.conv(b.in(d, {1, 2, 5}), b.in(d, {3, 2, 2})); }),
            kNumbers + " c64");
  expect_types({
      {"f32[1, 3, 4]", [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2})); }},
      {"f32[N, 3, 2]", [](Bench& b) { return b.g.conv(b.f32({b.n, 2, 5}), b.f32({3, 2, 2}), {.strides = {2}}); }},
      {"f32[1, 3, 3]", [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.dilations = {2}}); }},
      {"f32[1, 3, 7, 8]",
       [](Bench& b) {
         return b.g.conv(b.f32({1, 2, 5, 5}), b.f32({3, 2, 2, 3}), {.before = {1, 5}, .after = {2, 0}});
       }},
      {"f32[1, 12, 5]",
       [](Bench& b) { return b.g.conv(b.f32({1, 8, 5}), b.f32({12, 2, 1}), {.bias = b.f32({12}), .groups = 4}); }},
      // Sizes that are open: as many windows as there is room for.
      {"f32[1, 3, S]",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, b.s}), b.f32({3, 2, 3}), {.before = {1}, .after = {1}}); }},
      {"f32[1, 3, ceil(T, 2)]",
       [](Bench& b) {
         return b.g.conv(b.f32({1, 2, b.t}), b.f32({3, 2, 7}), {.strides = {2}, .before = {3}, .after = {3}});
       }},
      {"f32[1, T, N + 4]", [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({b.t, 2, 2}), {.before = {b.n}}); }},
      {"f32[1, 2, 9 - K]",
       [](Bench& b) {
         const Symbol k = b.p.symbol("K", 1, 8);
         return b.g.conv(b.f32({1, 1, 8}), b.f32({2, 1, k}));
       }},
      {"f32[1, 4*S, 5]",
       [](Bench& b) { return b.g.conv(b.f32({1, 4, 5}), b.f32({b.s * Dim(4), 1, 1}), {.groups = 4}); }},
      // No window fits, and nothing to convolve.
      {"f32[1, 3, 0]", [](Bench& b) { return b.g.conv(b.f32({1, 2, 1}), b.f32({3, 2, 2})); }},
      {"f32[0, 0, 2]", [](Bench& b) { return b.g.conv(b.f32({0, 0, 3}), b.f32({0, 0, 2})); }},
      {"f32[1, 1, 1, 1, 1, 1]",
       [](Bench& b) { return b.g.conv(b.f32({1, 1, 2, 2, 2, 2}), b.f32({1, 1, 2, 2, 2, 2})); }},
      // Everything is promoted.
      {"f32[1, 3, 4]", [](Bench& b) { return b.g.conv(b.in(DType::f16, {1, 2, 5}), b.in(DType::bf16, {3, 2, 2})); }},
      {"f64[1, 3, 4]",
       [](Bench& b) {
         return b.g.conv(b.in(DType::i8, {1, 2, 5}), b.f32({3, 2, 2}), {.bias = b.in(DType::f64, {3})});
       }},
  });
}

TEST(InferConv, ConvRefuses) {
  expect_refusals({
      {"[conv] x is f32[2, 3], expected rank 3 or more: [N, C, spatial…]",
       [](Bench& b) { return b.g.conv(b.f32({2, 3}), b.f32({3, 3})); }},
      {"[conv] rank of w is 4, expected 3 (rank of x)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2, 2})); }},
      {"[conv] axis 1 of x is 3, expected 2 (axis 1 of w, times groups)",
       [](Bench& b) { return b.g.conv(b.f32({1, 3, 5}), b.f32({3, 2, 2})); }},
      {"[conv] axis 1 of x is 4, expected 6 (axis 1 of w, times groups)",
       [](Bench& b) { return b.g.conv(b.f32({1, 4, 5}), b.f32({3, 2, 2}), {.groups = 3}); }},
      {"[conv] axis 1 of x is T, expected S (axis 1 of w, times groups) (not provable from the bounds)",
       [](Bench& b) { return b.g.conv(b.f32({1, b.t, 5}), b.f32({3, b.s, 2})); }},
      {"[conv] axis 0 of w is 3, expected a multiple of 2 (groups)",
       [](Bench& b) { return b.g.conv(b.f32({1, 4, 5}), b.f32({3, 2, 2}), {.groups = 2}); }},
      {"[conv] axis 0 of w is S, expected a multiple of 2 (groups)",
       [](Bench& b) { return b.g.conv(b.f32({1, 4, 5}), b.f32({b.s, 2, 2}), {.groups = 2}); }},
      {"[conv] groups is 0, expected at least 1",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.groups = 0}); }},
      {"[conv] length of strides is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.strides = {1, 1}}); }},
      {"[conv] length of dilations is 1, expected 2 (one for each spatial axis)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5, 5}), b.f32({3, 2, 2, 2}), {.dilations = {1}}); }},
      {"[conv] length of before is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.before = {1, 1}}); }},
      {"[conv] length of after is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.after = {1, 1}}); }},
      {"[conv] stride is 0, expected at least 1",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.strides = {0}}); }},
      {"[conv] dilation is -1, expected at least 1",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.dilations = {-1}}); }},
      {"[conv] before is -1, expected at least 0",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.before = {-1}}); }},
      {"[conv] after is S - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.after = {b.s - Dim(2)}}); }},
      {"[conv] kernel is 0, expected at least 1",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 0})); }},
      {"[conv] kernel is T, expected at least 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, b.t})); }},
      {"[conv] axis 2 of the result is -1, expected at least 0",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 1}), b.f32({3, 2, 3})); }},
      {"[conv] axis 3 of the result is T - 2, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5, b.t}), b.f32({3, 2, 3, 3})); }},
      {"[conv] bias is f32[2], expected f32[3] (channels of the result)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.bias = b.f32({2})}); }},
      {"[conv] bias is f32[1, 3], expected f32[3] (channels of the result)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 2}), {.bias = b.f32({1, 3})}); }},
      {"[conv] dtype of x, w and bias is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.conv(b.in(DType::bool_, {1, 2, 5}), b.in(DType::bool_, {3, 2, 2})); }},
      {"[conv] pair of dtypes is f32 and packed, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) { return b.g.conv(b.f32({1, 2, 64}), b.packed({3, 2, 64})); }},
      {"[conv] pair of dtypes is c64 and f64, expected two that promote to one dtype (cast one of them)",
       [](Bench& b) {
         return b.g.conv(b.in(DType::c64, {1, 2, 5}), b.f32({3, 2, 2}), {.bias = b.in(DType::f64, {3})});
       }},
  });
  // Sizes beyond i64 are refused, not computed.
  for (const options::Conv& options : {options::Conv{.dilations = {kMost}}, options::Conv{.before = {kMost}}}) {
    Bench b;
    try {
      b.g.conv(b.f32({1, 2, 5}), b.f32({3, 2, 3}), options);
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::limit) << error.what();
    }
  }
}

TEST(InferConv, Transpose) {
  EXPECT_EQ(
      accepted_dtypes([](Bench& b, DType d) { return b.g.conv_transpose(b.in(d, {1, 2, 5}), b.in(d, {2, 3, 2})); }),
      kNumbers + " c64");
  expect_types({
      {"f32[1, 3, 6]", [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({2, 3, 2})); }},
      {"f32[1, 6, 11]",
       [](Bench& b) {
         return b.g.conv_transpose(
             b.f32({1, 2, 4}), b.f32({2, 3, 3}),
             {.bias = b.f32({6}), .strides = {3}, .before = {1}, .output_padding = {0}, .groups = 2});
       }},
      {"f32[1, 3, 9, 4]",
       [](Bench& b) {
         return b.g.conv_transpose(b.f32({1, 2, 3, 4}), b.f32({2, 3, 2, 3}),
                                   {.strides = {2, 1}, .dilations = {2, 1}, .after = {0, 2}, .output_padding = {2, 0}});
       }},
      {"f32[N, 3, 2*S]",
       [](Bench& b) { return b.g.conv_transpose(b.f32({b.n, 2, b.s}), b.f32({2, 3, 2}), {.strides = {2}}); }},
      {"f32[1, 3, 0]",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 1}), b.f32({2, 3, 2}), {.before = {1}, .after = {1}}); }},
      {"f32[1, 3, 1]", [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 0}), b.f32({2, 3, 2})); }},
  });
}

TEST(InferConv, TransposeRefuses) {
  expect_refusals({
      {"[conv_transpose] axis 0 of w is 3, expected 2 (axis 1 of x)",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({3, 2, 2})); }},
      {"[conv_transpose] axis 1 of x is 3, expected a multiple of 2 (groups)",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 3, 5}), b.f32({3, 2, 2}), {.groups = 2}); }},
      {"[conv_transpose] groups is -1, expected at least 1",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({2, 2, 2}), {.groups = -1}); }},
      {"[conv_transpose] length of output_padding is 2, expected 1 (one for each spatial axis)",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({2, 2, 2}), {.output_padding = {1, 1}}); }},
      {"[conv_transpose] output_padding is -1, expected at least 0",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({2, 2, 2}), {.output_padding = {-1}}); }},
      {"[conv_transpose] before is -1, expected at least 0",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({2, 2, 2}), {.before = {-1}}); }},
      {"[conv_transpose] axis 2 of the result is -1, expected at least 0",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({2, 2, 2}), {.before = {7}}); }},
      {"[conv_transpose] axis 2 of the result is 2*T - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.conv_transpose(b.f32({1, 2, b.t}), b.f32({2, 2, 1}), {.strides = {2}}); }},
      {"[conv_transpose] bias is f32[2], expected f32[4] (channels of the result)",
       [](Bench& b) {
         return b.g.conv_transpose(b.f32({1, 2, 5}), b.f32({2, 2, 2}), {.bias = b.f32({2}), .groups = 2});
       }},
      {"[conv_transpose] dtype of x, w and bias is bool, expected integer, real or complex",
       [](Bench& b) { return b.g.conv_transpose(b.in(DType::bool_, {1, 2, 5}), b.in(DType::bool_, {2, 3, 2})); }},
  });
}

Var integer_conv(Bench& b, const options::IntegerConv& options) {
  return b.g.integer_conv(b.in(DType::u8, {1, 2, 5}), b.in(DType::i8, {4, 2, 2}), options);
}

TEST(InferConv, Integer) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.integer_conv(b.in(d, {1, 2, 5}), b.in(d, {3, 2, 2})); }),
            "u8>i32 i8>i32");
  expect_types({
      {"i32[1, 4, 4]", [](Bench& b) { return integer_conv(b, {}); }},
      {"i32[1, 4, 4]",
       [](Bench& b) { return integer_conv(b, {.x_zero = b.in(DType::u8), .w_zero = b.in(DType::i8)}); }},
      {"i32[1, 4, 3]",
       [](Bench& b) {
         return integer_conv(b, {.w_zero = b.in(DType::i8, {4}), .strides = {2}, .before = {1}, .after = {1}});
       }},
  });
  expect_refusals({
      {"[integer_conv] x is i16, expected u8 or i8",
       [](Bench& b) { return b.g.integer_conv(b.in(DType::i16, {1, 2, 5}), b.in(DType::i8, {4, 2, 2})); }},
      {"[integer_conv] w is f32, expected u8 or i8",
       [](Bench& b) { return b.g.integer_conv(b.in(DType::i8, {1, 2, 5}), b.f32({4, 2, 2})); }},
      {"[integer_conv] x_zero is i8[], expected u8[]",
       [](Bench& b) { return integer_conv(b, {.x_zero = b.in(DType::i8)}); }},
      {"[integer_conv] x_zero is u8[2], expected u8[]",
       [](Bench& b) { return integer_conv(b, {.x_zero = b.in(DType::u8, {2})}); }},
      {"[integer_conv] w_zero is i8[2], expected i8[4] (one for all, or one for each channel of the result)",
       [](Bench& b) { return integer_conv(b, {.w_zero = b.in(DType::i8, {2})}); }},
      {"[integer_conv] w_zero is u8[], expected i8[] (one for all, or one for each channel of the result)",
       [](Bench& b) { return integer_conv(b, {.w_zero = b.in(DType::u8)}); }},
      {"[integer_conv] axis 1 of x is 2, expected 4 (axis 1 of w, times groups)",
       [](Bench& b) { return integer_conv(b, {.groups = 2}); }},
      {"[integer_conv] stride is -2, expected at least 1", [](Bench& b) { return integer_conv(b, {.strides = {-2}}); }},
      {"[integer_conv] dilation is 0, expected at least 1",
       [](Bench& b) { return integer_conv(b, {.dilations = {0}}); }},
  });
}

// Windows of 2·3 over 4·6 elements: 3·4 of them.
Var deform_conv(Bench& b, Shape offset, const options::DeformConv& options = {}) {
  return b.g.deform_conv(b.f32({1, 4, 4, 6}), b.f32({2, 4, 2, 3}), b.f32(std::move(offset)), options);
}

TEST(InferConv, Deform) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.deform_conv(b.in(d, {1, 1, 2, 2}), b.in(d, {1, 1, 1, 1}), b.f32({1, 2, 2, 2}));
            }),
            kReals);
  // Where it reads does not change what it computes in.
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) {
              return b.g.deform_conv(b.in(DType::f16, {1, 1, 2, 2}), b.in(DType::f16, {1, 1, 1, 1}),
                                     b.in(d, {1, 2, 2, 2}), {.mask = b.in(d, {1, 1, 2, 2})});
            }),
            "f16 bf16>f16 f32>f16 f64>f16");
  expect_types({
      {"f32[1, 2, 3, 4]", [](Bench& b) { return deform_conv(b, {1, 12, 3, 4}); }},
      {"f32[1, 2, 3, 4]",
       [](Bench& b) {
         return deform_conv(b, {1, 24, 3, 4}, {.bias = b.f32({2}), .mask = b.f32({1, 12, 3, 4}), .offset_groups = 2});
       }},
      {"f32[N, 2, S, S]",
       [](Bench& b) {
         return b.g.deform_conv(b.f32({b.n, 2, b.s, b.s}), b.f32({2, 1, 3, 3}), b.f32({b.n, 18, b.s, b.s}),
                                {.before = {1, 1}, .after = {1, 1}, .groups = 2});
       }},
  });
  expect_refusals({
      {"[deform_conv] rank of x is 3, expected 4 ([N, C, height, width])",
       [](Bench& b) { return b.g.deform_conv(b.f32({1, 1, 2}), b.f32({1, 1, 1}), b.f32({1, 2, 2})); }},
      {"[deform_conv] offset is f32[1, 6, 3, 4], expected f32[1, 12, 3, 4] (for each window and position in it)",
       [](Bench& b) { return deform_conv(b, {1, 6, 3, 4}); }},
      {"[deform_conv] offset is f32[1, 12, 4, 4], expected f32[1, 12, 3, 4] (for each window and position in it)",
       [](Bench& b) { return deform_conv(b, {1, 12, 4, 4}); }},
      {"[deform_conv] mask is f32[1, 12, 3, 4], expected f32[1, 6, 3, 4] (for each window and position in it)",
       [](Bench& b) { return deform_conv(b, {1, 12, 3, 4}, {.mask = b.f32({1, 12, 3, 4})}); }},
      {"[deform_conv] mask is bool, expected real",
       [](Bench& b) { return deform_conv(b, {1, 12, 3, 4}, {.mask = b.in(DType::bool_, {1, 6, 3, 4})}); }},
      {"[deform_conv] offset is i64, expected real",
       [](Bench& b) { return b.g.deform_conv(b.f32({1, 1, 2, 2}), b.f32({1, 1, 1, 1}), b.i64({1, 2, 2, 2})); }},
      {"[deform_conv] offset_groups is 0, expected at least 1",
       [](Bench& b) { return deform_conv(b, {1, 12, 3, 4}, {.offset_groups = 0}); }},
      {"[deform_conv] axis 1 of x is 4, expected a multiple of 3 (offset_groups)",
       [](Bench& b) { return deform_conv(b, {1, 36, 3, 4}, {.offset_groups = 3}); }},
      {"[deform_conv] axis 1 of x is 4, expected 8 (axis 1 of w, times groups)",
       [](Bench& b) { return deform_conv(b, {1, 12, 3, 4}, {.groups = 2}); }},
      {"[deform_conv] bias is f32[4], expected f32[2] (channels of the result)",
       [](Bench& b) { return deform_conv(b, {1, 12, 3, 4}, {.bias = b.f32({4})}); }},
      {"[deform_conv] dtype of x, w and bias is i32, expected real",
       [](Bench& b) {
         return b.g.deform_conv(b.in(DType::i32, {1, 1, 2, 2}), b.in(DType::i32, {1, 1, 1, 1}), b.f32({1, 2, 2, 2}));
       }},
  });
}

}  // namespace
}  // namespace ingot
