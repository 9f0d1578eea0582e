// Types of Fourier transforms.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

Var c64(Bench& b, Shape shape) { return b.in(DType::c64, std::move(shape)); }

TEST(InferFft, Types) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.fft_forward(b.in(d, {4}), {0}); }), "c64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.rfft(b.in(d, {4}), {0}); }),
            "f16>c64 bf16>c64 f32>c64 f64>c64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.irfft(b.in(d, {4}), {0}, {4}); }), "c64>f32");
  expect_types({
      {"c64[4, S]", [](Bench& b) { return b.g.fft_forward(c64(b, {4, b.s}), {1}); }},
      {"c64[6, S, 2]",
       [](Bench& b) {
         return b.g.fft_inverse(c64(b, {4, b.s, 3}), {-1, 0}, {.sizes = {2, 6}, .norm = FftNorm::ortho});
       }},
      {"c64[0]", [](Bench& b) { return b.g.fft_forward(c64(b, {0}), {0}); }},
      {"c64[4, 3]", [](Bench& b) { return b.g.rfft(b.f32({4, 5}), {0, 1}); }},
      {"c64[3, 5]", [](Bench& b) { return b.g.rfft(b.f32({4, 5}), {1, 0}); }},
      {"c64[S / 2 + 1]", [](Bench& b) { return b.g.rfft(b.f32({b.s}), {0}); }},
      {"c64[4, T / 2 + 1]",
       [](Bench& b) { return b.g.rfft(b.f32({4, 5}), {1}, {.sizes = {b.t}, .norm = FftNorm::forward}); }},
      {"f32[6, 7]", [](Bench& b) { return b.g.irfft(c64(b, {4, 3}), {0, 1}, {6, 7}); }},
      {"f32[T]", [](Bench& b) { return b.g.irfft(c64(b, {b.s}), {-1}, {b.t}); }},
  });
}

TEST(InferFft, Stft) {
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.stft(b.in(d, {8}), 4, 2); }),
            "f16>c64 bf16>c64 f32>c64 f64>c64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.stft(b.in(d, {8}), 4, 2, {.onesided = false}); }),
            "f16>c64 bf16>c64 f32>c64 f64>c64 c64");
  EXPECT_EQ(accepted_dtypes([](Bench& b, DType d) { return b.g.stft(b.f32({8}), 4, 2, {.window = b.in(d, {4})}); }),
            "f16>c64 bf16>c64 f32>c64 f64>c64");
  expect_types({
      {"c64[3, 3]", [](Bench& b) { return b.g.stft(b.f32({9}), 4, 2); }},
      {"c64[2, S, 1, 5]", [](Bench& b) { return b.g.stft(b.f32({2, b.s, 5}), 5, 9, {.onesided = false}); }},
      {"c64[T / 3 + 1, S / 2 + 1]",
       [](Bench& b) { return b.g.stft(b.f32({Dim(b.t) + b.s}), b.s, 3, {.window = b.f32({b.s})}); }},
  });
}

TEST(InferFft, Refuses) {
  expect_refusals({
      {"[fft_forward] x is f32, expected complex", [](Bench& b) { return b.g.fft_forward(b.f32({4}), {0}); }},
      {"[rfft] x is c64, expected real", [](Bench& b) { return b.g.rfft(c64(b, {4}), {0}); }},
      {"[irfft] x is f64, expected complex", [](Bench& b) { return b.g.irfft(b.in(DType::f64, {4}), {0}, {4}); }},
      {"[rfft] axes is [], expected at least one axis", [](Bench& b) { return b.g.rfft(b.f32({4}), {}); }},
      {"[irfft] axes is [], expected at least one axis", [](Bench& b) { return b.g.irfft(c64(b, {4}), {}, {}); }},
      {"[fft_inverse] axes is 1, expected -1..0", [](Bench& b) { return b.g.fft_inverse(c64(b, {4}), {1}); }},
      {"[fft_inverse] axes is 0, expected none (rank 0)", [](Bench& b) { return b.g.fft_inverse(c64(b, {}), {0}); }},
      {"[fft_forward] axes is [0, -2], expected every axis at most once",
       [](Bench& b) { return b.g.fft_forward(c64(b, {4, 3}), {0, -2}); }},
      {"[fft_forward] number of sizes is 1, expected 2 (one for each of axes)",
       [](Bench& b) { return b.g.fft_forward(c64(b, {4, 3}), {0, 1}, {.sizes = {4}}); }},
      {"[irfft] number of sizes is 0, expected 1 (one for each of axes)",
       [](Bench& b) { return b.g.irfft(c64(b, {4, 3}), {1}, {}); }},
      {"[rfft] size is -1, expected at least 0", [](Bench& b) { return b.g.rfft(b.f32({4}), {0}, {.sizes = {-1}}); }},
      {"[irfft] size is T - 1, expected at least 0 (not provable from the bounds)",
       [](Bench& b) { return b.g.irfft(c64(b, {b.t}), {0}, {Dim(b.t) - 1}); }},
      {"[stft] x is c64, expected real", [](Bench& b) { return b.g.stft(c64(b, {8}), 4, 2); }},
      {"[stft] x is f32[], expected rank 1 or more", [](Bench& b) { return b.g.stft(b.f32({}), 4, 2); }},
      {"[stft] length is 0, expected at least 1", [](Bench& b) { return b.g.stft(b.f32({8}), 0, 2); }},
      {"[stft] step is N, expected at least 1 (not provable from the bounds)",
       [](Bench& b) { return b.g.stft(b.f32({8}), 4, b.n); }},
      {"[stft] size of the last axis of x is 8, expected at least 9",
       [](Bench& b) { return b.g.stft(b.f32({8}), 9, 2); }},
      {"[stft] size of the last axis of x is T, expected at least 4 (not provable from the bounds)",
       [](Bench& b) { return b.g.stft(b.f32({b.t}), 4, 2); }},
      {"[stft] window is f32[5], expected f32[4] (length)",
       [](Bench& b) { return b.g.stft(b.f32({8}), 4, 2, {.window = b.f32({5})}); }},
      {"[stft] window is i64, expected real",
       [](Bench& b) { return b.g.stft(b.f32({8}), 4, 2, {.window = b.i64({4})}); }},
  });
}

}  // namespace
}  // namespace ingot
