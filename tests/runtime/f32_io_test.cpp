// CompileOptions::f32_io: code written for f32 runs programs of other float types.
#include <gtest/gtest.h>

#include "runtime/prepared.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

// 1 + 2⁻¹⁰ is 1 in bf16, so a conversion shows.
constexpr float fine = 1.0009765625F;

constexpr const char* halves = R"(
weight @w : bf16[2] = [2.0, 4.0]
state @sum : bf16[2] = zeros
method forward(%x: bf16[2], %i: i64[]) -> (y, i) {
  %p = mul %x, @w
  %s = state_read {state=@sum}
  %t = add %s, %p
  %y = state_write %t {state=@sum}
  return %y, %i
}
)";

class F32Io : public OnTarget {};

TEST_P(F32Io, ConvertsInputsOutputsParametersAndStates) {
  Executable executable = compiled(halves, {.f32_io = true});
  Session session(executable);
  const std::vector<NamedTensor> inputs{{"x", f32({fine, 3})}, {"i", i64(5)}};
  const std::vector<NamedTensor> outputs = session.run(inputs);
  EXPECT_EQ(values<float>(outputs[0].tensor), (Floats{2, 12}));
  EXPECT_EQ(values<int64_t>(outputs[1].tensor), Integers{5});
  EXPECT_EQ(values<float>(session.state("sum")), (Floats{2, 12}));
  executable.set_param("w", f32({1, fine}));
  session.set_state("sum", f32({100, 200}));
  EXPECT_EQ(values<float>(session.submit(inputs).result()[0].tensor), (Floats{101, 203}));
  session.bind("x", f32({fine, 1}));
  EXPECT_EQ(values<float>(session.read("x")), (Floats{1, 1}));
  EXPECT_EQ(values<float>(session.run({{"i", i64(5)}})[0].tensor), (Floats{102, 204}));
  EXPECT_EQ(values<float>(session.read("out0")), (Floats{102, 204}));
}

TEST_P(F32Io, PreparedCallsUseBuffersOfF32) {
  Session session(compiled(halves, {.f32_io = true}));
  PreparedCall call = session.prepare();
  Floats x = {fine, 3}, y(2, -1);
  call.bind_input(0, Tensor(DType::f32, {2}, Buffer{nullptr, std::as_bytes(std::span(x))}));
  call.bind_input(1, i64(0));
  call.bind_output(0, std::as_writable_bytes(std::span(y)));
  call();
  EXPECT_EQ(y, (Floats{2, 12}));
  x = {1, 1};
  call();
  EXPECT_EQ(y, (Floats{4, 16}));
  PreparedCall in_arena = session.prepare();
  in_arena.bind_input(0, f32({0, 0}));
  in_arena.bind_input(1, i64(7));
  EXPECT_EQ(in_arena.offsets(), (std::vector<size_t>{0, 64}));
  in_arena();
  EXPECT_EQ(values<float>(in_arena.output(0)), (Floats{4, 16}));
}

TEST_P(F32Io, TakesTensorsOfTheDeclaredTypeAsTheyAre) {
  Session session(compiled(halves, {.f32_io = true}));
  const Tensor x = f32({1, 3}).to(DType::bf16);
  EXPECT_EQ(values<float>(session.run({{"x", x}, {"i", i64(0)}})[0].tensor), (Floats{2, 12}));
}

TEST_P(F32Io, ConvertsNothingElse) {
  Session session(compiled(halves, {.f32_io = true}));
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 3})}, {"i", f32({}, {0})}}); }, Code::type_mismatch),
            "[forward] input i is f32[], expected i64[]");
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 3}).to(DType::f64)}, {"i", i64(0)}}); }, Code::type_mismatch),
            "[forward] input x is f64[2], expected bf16[2]");
}

TEST_P(F32Io, IsOffByDefault) {
  Executable executable = compiled(halves);
  Session session(executable);
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 3})}, {"i", i64(0)}}); }, Code::type_mismatch),
            "[forward] input x is f32[2], expected bf16[2]");
  EXPECT_EQ(message_of([&] { executable.set_param("w", f32({1, 3})); }, Code::type_mismatch),
            "parameter w is f32[2], expected bf16[2]");
  const Tensor x = f32({1, 3}).to(DType::bf16);
  EXPECT_EQ(session.run({{"x", x}, {"i", i64(0)}})[0].tensor.dtype(), DType::bf16);
}

INGOT_ON_EVERY_TARGET(F32Io);

}  // namespace
}  // namespace ingot::test
