// What a call may use: results beyond the memory of the device or the system are refused, before anything runs, and what a
// call is said to need is enough, in every mode.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/runtime/support.h"
#include "tests/support/narrow.h"

namespace ingot::test {
namespace {

// Values of N² numbers: y alone, and two of them.
constexpr const char* squares = R"(
symbol N in 1..
method one(%x: f32[N]) -> (y) {
  %r = reshape %x {shape=[N, 1]}
  %t = reshape %x {shape=[1, N]}
  %y = add %r, %t
  return %y
}
method two(%x: f32[N]) -> (y, z) {
  %r = reshape %x {shape=[N, 1]}
  %t = reshape %x {shape=[1, N]}
  %y = add %r, %t
  %z = mul %r, %t
  return %y, %z
}
)";

class MemoryTest : public OnTarget {
 protected:
  static int64_t memory() { return find_engine(on_target().engine).devices().front().memory; }
  static CompileOptions unlimited() {
    CompileOptions options;
    options.limits.bytes = std::numeric_limits<int64_t>::max();
    return options;
  }
};

TEST_P(MemoryTest, ResultsBeyondTheDeviceAreRefused) {
  if (is_reference()) GTEST_SKIP() << "asks the system";
  Session session(compiled(squares, unlimited()));
  const auto refusal = [&](const char* method, double part) {
    const auto n = static_cast<int64_t>(std::sqrt(part * static_cast<double>(memory()) / 4));
    return message_of([&] { session.run({{"x", ramp(n)}}, method); }, Code::limit);
  };
  EXPECT_NE(refusal("one", 1.1).find("[add] a tensor of"), std::string::npos);
  EXPECT_NE(refusal("one", 1.1).find("does not fit into memory (at one: %y)"), std::string::npos);
  EXPECT_EQ(session.run({{"x", ramp(3)}}, "one")[0].tensor.sizes(), (Sizes{3, 3}));
  if (on_target().mode == "eager") return;  // where one of the two is computed
  EXPECT_NE(refusal("two", 0.6).find("do not fit into the memory of"), std::string::npos);
}

#ifdef __linux__
TEST_P(MemoryTest, ResultsThatTheSystemDoesNotGiveAreRefused) {
  if (is_sanitized) GTEST_SKIP() << "sanitizers take address space as well";
  Session session(compiled(squares));
  if (!is_reference() && session.executable().device() != "cpu") GTEST_SKIP() << "has memory of its own";
  session.run({{"x", ramp(3)}}, "one");
  const Tensor x = ramp(12000);  // 576 MB
  {
    const Narrow narrow(256 << 20);
    EXPECT_NE(message_of([&] { session.run({{"x", x}}, "one"); }, Code::limit), "");
  }
  EXPECT_EQ(session.run({{"x", ramp(3)}}, "one")[0].tensor.sizes(), (Sizes{3, 3}));
}
#endif

TEST_P(MemoryTest, CallsFitIntoWhatTheyNeed) {
  constexpr const char* methods = R"(
graph body(%carry: f32[64, 64], %x: f32[64]) -> (carry, y) {
  %a = add %carry, %x
  %b = mul %a, %carry
  %c = sin %b
  %s = reduce_sum %c {axes=[0]}
  return %c, %s
}
graph more(%i: i64[], %x: f32[64, 64]) -> (c) {
  %end = full {shape=[], value=3, dtype=i64}
  %c = lt %i, %end
  return %c
}
graph step(%i: i64[], %x: f32[64, 64]) -> (i, x) {
  %one = full {shape=[], value=1, dtype=i64}
  %j = add %i, %one
  %a = sin %x
  %b = add %a, %x
  %y = cos %b
  return %j, %y
}
method chain(%x: f32[64, 64]) -> (y) {
  %a = sin %x
  %b = cos %a
  %c = mul %b, %x
  %d = tanh %c
  %e = sin %d
  %f = cos %e
  %g = tanh %f
  %y = reduce_max %g {axes=[0, 1]}
  return %y
}
method diamond(%x: f32[64, 64]) -> (y) {
  %a = sin %x
  %b = cos %a
  %c = tanh %a
  %d = mul %b, %c
  %e = add %d, %a
  %f = sin %e
  %g = cos %e
  %y = mul %f, %g
  return %y
}
method loop(%x: f32[64, 64]) -> (last, all) {
  %a = sin %x
  %last, %all = scan [%a], [%x], [] {body=@body, length=64}
  %y = cos %last
  return %y, %all
}
method until(%x: f32[64, 64]) -> (y) {
  %zero = full {shape=[], value=0, dtype=i64}
  %a = sin %x
  %n, %b = while [%zero, %a], [] {condition=@more, body=@step}
  %y = cos %b
  return %y
}
)";
  for (const char* method : {"chain", "diamond", "loop", "until"}) {
    CompileOptions options;
    options.limits.bytes = compiled(methods).memory_needed(method, {{64, 64}});
    EXPECT_LT(options.limits.bytes, 7 * 64 * 64 * 4) << method;  // not the sum of its values
    Session session(compiled(methods, options));
    EXPECT_NO_THROW(session.run({{"x", Tensor::of<float>({64, 64}, std::vector<float>(4096, 1))}}, method)) << method;
  }
}

INGOT_ON_EVERY_TARGET(MemoryTest);

}  // namespace
}  // namespace ingot::test
