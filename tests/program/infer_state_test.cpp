// Types of ops on declared state.
#include "tests/program/infer_support.h"

namespace ingot {
namespace {

using namespace test;

StateId cache(Bench& b, DType dtype = DType::f32) { return b.p.state("cache", {dtype, {8, 4, 3}, {}}); }

Var update(Bench& b, Shape shape, std::vector<Var> starts, std::vector<int64_t> axes,
           IndexMode mode = IndexMode::error) {
  return b.g.state_update(cache(b), b.f32(std::move(shape)), std::move(starts), std::move(axes), {.mode = mode});
}

TEST(InferState, Types) {
  // State holds every dtype, storage included.
  for (DType dtype : single_dtypes()) {
    Bench b;
    const StateId state = cache(b, dtype);
    const std::string type = fmt::format("{}[8, 4, 3]", to_string(dtype));
    EXPECT_EQ(to_string(b.g.state_read(state).type()), type);
    EXPECT_EQ(to_string(b.g.state_write(state, b.in(dtype, {8, 4, 3})).type()), type);
    EXPECT_EQ(to_string(b.g.state_update(state, b.in(dtype, {1, 4, 3}), {b.i64({})}, {0}).type()), type);
  }
  expect_types({
      {"f32[8, 4, 3]", [](Bench& b) { return update(b, {2, 4, 3}, {b.i64({})}, {0}); }},
      {"f32[8, 4, 3]", [](Bench& b) { return update(b, {8, 4, 3}, {}, {}); }},
      {"f32[8, 4, 3]", [](Bench& b) { return update(b, {8, 4, 3}, {b.in(DType::u8)}, {-1}, IndexMode::clamp); }},
      {"f32[8, 4, 3]",
       [](Bench& b) { return update(b, {0, 4, 1}, {b.i64({}), b.in(DType::i32)}, {0, 2}, IndexMode::drop); }},
      {"f32[8, 4, 3]", [](Bench& b) { return update(b, {min(b.t, 8), 4, 3}, {b.i64({})}, {0}); }},
      {"packed<affine, bits=4, group=64, scale=f16>[2, 64]",
       [](Bench& b) {
         const StateId state = b.p.state("w", {DType::packed, {2, 64}, QuantScheme{}});
         b.g.state_write(state, b.packed({2, 64}));
         return b.g.state_read(state);
       }},
  });
}

TEST(InferState, Refuses) {
  expect_refusals({
      {"[state_write] value is f32[8, 4], expected f32[8, 4, 3] (type of the state)",
       [](Bench& b) { return b.g.state_write(cache(b), b.f32({8, 4})); }},
      {"[state_write] value is f64[8, 4, 3], expected f32[8, 4, 3] (type of the state)",
       [](Bench& b) { return b.g.state_write(cache(b), b.in(DType::f64, {8, 4, 3})); }},
      {"[state_write] value is f32[S, 4, 3], expected f32[8, 4, 3] (type of the state) (not provable from the bounds)",
       [](Bench& b) { return b.g.state_write(cache(b), b.f32({b.s, 4, 3})); }},
      {"[state_read] state is state 1, expected a state with an id below 1",
       [](Bench& b) { return cache(b), b.g.state_read(StateId{1}); }},
      {"[state_update] dtype of update is f16, expected f32",
       [](Bench& b) { return b.g.state_update(cache(b), b.in(DType::f16, {1, 4, 3}), {b.i64({})}, {0}); }},
      {"[state_update] rank of update is 2, expected 3 (as the state)",
       [](Bench& b) { return update(b, {4, 3}, {b.i64({})}, {0}); }},
      {"[state_update] axis 1 of update is 2, expected 4 (as the state)",
       [](Bench& b) { return update(b, {1, 2, 3}, {b.i64({})}, {0}); }},
      {"[state_update] size of update along axes is 9, expected at most 8",
       [](Bench& b) { return update(b, {9, 4, 3}, {b.i64({})}, {0}); }},
      {"[state_update] size of update along axes is S, expected at most 8 (not provable from the bounds)",
       [](Bench& b) { return update(b, {b.s, 4, 3}, {b.i64({})}, {0}); }},
      {"[state_update] axes is 3, expected -3..2", [](Bench& b) { return update(b, {8, 4, 3}, {b.i64({})}, {3}); }},
      {"[state_update] axes is [0, 0], expected every axis at most once",
       [](Bench& b) { return update(b, {8, 4, 3}, {b.i64({}), b.i64({})}, {0, 0}); }},
      {"[state_update] number of starts is 0, expected 1 (length of axes)",
       [](Bench& b) { return update(b, {1, 4, 3}, {}, {0}); }},
      {"[state_update] start is f32, expected integer",
       [](Bench& b) { return update(b, {1, 4, 3}, {b.f32({})}, {0}); }},
      {"[state_update] rank of a start is 1, expected 0 (a scalar)",
       [](Bench& b) { return update(b, {1, 4, 3}, {b.i64({1})}, {0}); }},
      {"[state_update] state is packed, expected a dtype of single elements (state_write replaces it)",
       [](Bench& b) {
         const StateId state = b.p.state("w", {DType::packed, {2, 64}, QuantScheme{}});
         return b.g.state_update(state, b.packed({1, 64}), {b.i64({})}, {0});
       }},
  });
}

}  // namespace
}  // namespace ingot
