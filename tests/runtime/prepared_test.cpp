// PreparedCall: positions, buffers of the caller, the arena, sizes that change, and what a failure leaves behind.
#include "runtime/prepared.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr const char* affine = R"(
symbol S in 0..100
method forward(%x: f32[S], %scale: f32[]) -> (y, sum, x) {
  %y = mul %x, %scale
  %sum = reduce_sum %y {axes=[0]}
  return %y, %sum, %x
}
)";

// Counts its calls; how many elements are not 0 is known behind it alone.
constexpr const char* finder = R"(
symbol N
state @calls : i64[] = zeros
method find(%x: f32[4]) -> (where, twice) {
  %n = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %n, %one
  %w = state_write %m {state=@calls}
  %where = nonzero %x {count=N}
  %twice = add %where, %where
  return %where, %twice
}
)";

class PreparedTest : public OnTarget {};

std::span<std::byte> bytes_of(Floats& floats) { return std::as_writable_bytes(std::span(floats)); }

TEST_P(PreparedTest, ReadsItsInputsAnewAndWritesTheCallersBuffer) {
  Session session(compiled(affine));
  PreparedCall call = session.prepare("forward");
  Floats x = {1, 2, 3}, y(3, -1);
  call.bind_input(0, Tensor(DType::f32, {3}, Buffer{nullptr, std::as_bytes(std::span(x))}));
  call.bind_input(1, f32({}, {2}));
  call.bind_output(0, bytes_of(y));
  for (float first : {1.0f, 5.0f, 7.0f}) {
    x[0] = first;
    call();
    EXPECT_EQ(y, (Floats{2 * first, 4, 6}));
    EXPECT_EQ(static_cast<const void*>(call.output(0).bytes().data()), y.data());
    EXPECT_EQ(values<float>(call.output(1)), (Floats{2 * first + 10}));
    EXPECT_EQ(values<float>(call.output(2)), (Floats{first, 2, 3}));
  }
}

TEST_P(PreparedTest, PlacesOutputsInTheArenaWhereTheyStay) {
  Session session(compiled(affine));
  PreparedCall call = session.prepare();
  call.bind_input(0, ramp(20));
  call.bind_input(1, f32({}, {1}));
  call();
  const std::vector<size_t> offsets = call.offsets();
  EXPECT_EQ(offsets, (std::vector<size_t>{0, 128, 192}));  // of 80, 4 and 80 bytes
  const std::byte* places[] = {call.output(0).bytes().data(), call.output(1).bytes().data()};
  EXPECT_EQ(places[1] - places[0], 128);
  call.bind_input(0, ramp(20, 2));
  call();
  EXPECT_EQ(call.offsets(), offsets);
  EXPECT_EQ(call.output(0).bytes().data(), places[0]);
  EXPECT_EQ(call.output(1).bytes().data(), places[1]);
  EXPECT_EQ(values<float>(call.output(1)), Floats{420});
}

TEST_P(PreparedTest, TellsOffsetsAsSoonAsSizesAreKnown) {
  Session session(compiled(affine));
  PreparedCall call = session.prepare();
  EXPECT_EQ(message_of([&] { call.offsets(); }, Code::misuse),
            "[forward] the sizes of input x are not known yet: bind it first");
  call.bind_input(0, ramp(20));  // scale is a literal size
  EXPECT_EQ(call.offsets(), (std::vector<size_t>{0, 128, 192}));
  const std::span<const std::byte> arena = call.arena();
  EXPECT_EQ(arena.size(), 192u + 128u);
  call.bind_input(1, f32({}, {1}));
  call();
  EXPECT_EQ(call.arena().data(), arena.data());
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(call.output(i).bytes().data(), arena.data() + call.offsets()[i]);
  call.bind_input(0, ramp(40));
  EXPECT_EQ(call.offsets(), (std::vector<size_t>{0, 192, 256}));

  PreparedCall bound = session.prepare();
  session.bind("x", ramp(20));
  EXPECT_EQ(bound.offsets(), (std::vector<size_t>{0, 128, 192}));
}

TEST_P(PreparedTest, TellsOffsetsOfStaticMethodsAtOnce) {
  Session session(compiled(totals));
  EXPECT_EQ(session.prepare("add").offsets(), (std::vector<size_t>{0, 64}));
  EXPECT_EQ(session.prepare("add").arena().size(), 128u);
  EXPECT_EQ(session.prepare("total").offsets(), (std::vector<size_t>{0, 64}));
}

TEST_P(PreparedTest, TakesInputsOfAnotherSize) {
  Session session(compiled(affine));
  PreparedCall call = session.prepare();
  call.bind_input(1, f32({}, {1}));
  for (int64_t n : {3, 50, 0, 3, 1}) {
    call.bind_input(0, ramp(n));
    call();
    EXPECT_EQ(call.output(0).sizes(), Sizes{n});
    EXPECT_EQ(values<float>(call.output(0)), values<float>(ramp(n)));
    EXPECT_EQ(values<float>(call.output(1)), Floats{static_cast<float>(n * (n + 1) / 2)});
  }
}

TEST_P(PreparedTest, RefusesBuffersThatDoNotFit) {
  Session session(compiled(affine));
  PreparedCall call = session.prepare();
  call.bind_input(0, ramp(3));
  call.bind_input(1, f32({}, {1}));
  Floats small(2), large(4), right(3);
  call.bind_output(0, bytes_of(small));
  EXPECT_EQ(message_of([&] { call(); }, Code::type_mismatch),
            "[forward] buffer of output y is 8 bytes, expected 12 bytes");
  call.bind_output(0, bytes_of(large));
  EXPECT_EQ(message_of([&] { call(); }, Code::type_mismatch),
            "[forward] buffer of output y is 16 bytes, expected 12 bytes");
  EXPECT_EQ(large, Floats(4));
  call.bind_output(0, bytes_of(right));
  call();
  EXPECT_EQ(right, (Floats{1, 2, 3}));
  call.bind_input(0, ramp(4));
  EXPECT_EQ(message_of([&] { call(); }, Code::type_mismatch),
            "[forward] buffer of output y is 12 bytes, expected 16 bytes");
  call.bind_output(0, bytes_of(large));
  call();
  EXPECT_EQ(large, (Floats{1, 2, 3, 4}));
  call.bind_output(0, {});
  call();
  EXPECT_NE(static_cast<const void*>(call.output(0).bytes().data()), large.data());
}

TEST_P(PreparedTest, RefusesWhatIsMissingOrOfAnotherType) {
  Session session(compiled(affine));
  PreparedCall call = session.prepare();
  EXPECT_EQ(message_of([&] { call.bind_input(2, ramp(3)); }, Code::out_of_range),
            "[forward] position of an input is 2, expected less than 2");
  EXPECT_EQ(message_of([&] { call.bind_output(3, {}); }, Code::out_of_range),
            "[forward] position of an output is 3, expected less than 3");
  EXPECT_EQ(message_of([&] { call.output(3); }, Code::out_of_range),
            "[forward] position of an output is 3, expected less than 3");
  EXPECT_EQ(message_of([&] { call.output(0); }, Code::misuse), "[forward] no call has filled the outputs yet");
  EXPECT_EQ(message_of([&] { call.bind_input(0, i64(3)); }, Code::type_mismatch),
            "[forward] input x is i64[], expected f32[S]");
  call.bind_input(0, ramp(3));
  EXPECT_EQ(message_of([&] { call(); }, Code::invalid_argument), "[forward] input scale is missing, expected f32[]");
  EXPECT_EQ(message_of([&] { call.output(0); }, Code::misuse), "[forward] no call has filled the outputs yet");
  call.bind_input(1, f32({}, {1}));
  call.bind_input(0, ramp(101));
  EXPECT_EQ(message_of([&] { call(); }, Code::out_of_range), "[forward] S is 101 by input x, axis 0, expected 0..100");
  call.bind_input(0, ramp(2));
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{1, 2}));
}

TEST_P(PreparedTest, DataDecideASize) {
  Session session(compiled(finder));
  PreparedCall call = session.prepare();
  for (const Floats& x : {Floats{0, 1, 1, 0}, Floats{1, 1, 1, 1}, Floats{0, 0, 0, 0}, Floats{1, 0, 0, 1}}) {
    call.bind_input(0, f32(x));
    call();
    Integers where;
    for (size_t i = 0; i < 4; ++i) {
      if (x[i] != 0) where.push_back(static_cast<int64_t>(i));
    }
    EXPECT_EQ(values<int64_t>(call.output(0)), where);
    for (int64_t& i : where) i *= 2;
    EXPECT_EQ(values<int64_t>(call.output(1)), where);
  }
}

// Results of one call stay what they are during the next ones, though those are of the same size.
TEST_P(PreparedTest, DataDecideASizeAndOldResultsStay) {
  Session session(compiled(finder));
  PreparedCall call = session.prepare();
  call.bind_input(0, f32({0, 1, 1, 0}));
  call();
  const Tensor kept = call.output(0);
  call.bind_input(0, f32({1, 0, 0, 1}));
  call();
  EXPECT_EQ(values<int64_t>(call.output(0)), (Integers{0, 3}));
  EXPECT_EQ(values<int64_t>(kept), (Integers{1, 2}));
}

TEST_P(PreparedTest, DataDecideTheSizeOfABuffer) {
  Session session(compiled(finder));
  PreparedCall call = session.prepare();
  Integers buffer(2, -1);
  call.bind_output(1, std::as_writable_bytes(std::span(buffer)));
  call.bind_input(0, f32({0, 1, 1, 0}));
  call();
  EXPECT_EQ(buffer, (Integers{2, 4}));
  EXPECT_EQ(static_cast<const void*>(call.output(1).bytes().data()), buffer.data());
  call.bind_input(0, f32({1, 0, 0, 1}));
  call();
  EXPECT_EQ(buffer, (Integers{0, 6}));
  EXPECT_EQ(session.state("calls").as<int64_t>()[0], 2);

  call.bind_input(0, f32({1, 1, 1, 1}));
  EXPECT_EQ(message_of([&] { call(); }, Code::type_mismatch),
            "[find] buffer of output twice is 16 bytes, expected 32 bytes");
  EXPECT_EQ(buffer, (Integers{0, 6}));
  EXPECT_EQ(session.state("calls").as<int64_t>()[0], 2);  // as before the call that failed
}

TEST_P(PreparedTest, SharesTheStateOfItsSession) {
  Session session(compiled(totals));
  PreparedCall call = session.prepare("add");
  call.bind_input(0, f32({1, 2}));
  call.bind_input(1, i64(1));
  call();
  const Future future = session.submit(totals_inputs(1, 2), "add");
  call();
  EXPECT_TRUE(future.ready());
  EXPECT_EQ(values<float>(call.output(1)), (Floats{13, 26}));
  EXPECT_EQ(values<float>(call.output(0)), Floats{26});
  call.bind_input(1, i64(2));
  EXPECT_EQ(message_of([&] { call(); }, Code::out_of_range),
            "[take] index 2 is outside an axis of 2 elements (at add: %picked)");
  EXPECT_EQ(total(session), (Floats{13, 26}));
  EXPECT_EQ(calls(session), 3);
}

// The memory is the caller's: what a call keeps of it, it has copied.
TEST_P(PreparedTest, StateDoesNotChangeWithTheCallersMemory) {
  Session session(compiled(R"(
state @kept : f32[2] = zeros
method keep(%x: f32[2]) -> (x) {
  %y = state_write %x {state=@kept}
  return %y
}
)"));
  PreparedCall call = session.prepare();
  Floats x = {1, 2};
  call.bind_input(0, Tensor(DType::f32, {2}, Buffer{nullptr, std::as_bytes(std::span(x))}));
  call();
  x = {8, 9};
  EXPECT_EQ(values<float>(session.state("kept")), (Floats{1, 2}));
  EXPECT_EQ(values<float>(call.output(0)), (Floats{1, 2}));
}

TEST_P(PreparedTest, TakesWhatTheSessionHasBoundAndFed) {
  Session session(compiled(R"(
symbol S
method step(%h: f32[S], %x: f32[S]) -> (h2) {
  %h2 = add %h, %x
  return %h2
}
)"));
  session.feed("h", "h2");
  PreparedCall call = session.prepare();
  call.bind_input(1, f32({1, 2}));
  EXPECT_EQ(message_of([&] { call(); }, Code::invalid_argument), "[step] input h is missing, expected f32[S]");
  session.bind("h", f32({10, 10}));
  for (int i = 0; i < 3; ++i) call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{13, 16}));
  session.bind("h", ramp(3));
  EXPECT_EQ(message_of([&] { call(); }, Code::type_mismatch),
            "[step] S is 2 by input x, axis 0, expected 3 by input h, axis 0");
  call.bind_input(1, ramp(3));
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{2, 4, 6}));
}

TEST_P(PreparedTest, OutlivesItsSessionAndSetParam) {
  Executable executable = compiled(R"(
weight @w : f32[2] = [1.0, 2.0]
method forward(%x: f32[2]) -> (y) {
  %y = mul %x, @w
  return %y
}
)");
  auto session = std::make_unique<Session>(executable);
  PreparedCall call = session->prepare();
  call.bind_input(0, f32({3, 3}));
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{3, 6}));
  executable.set_param("w", f32({5, 7}));
  session.reset();
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{15, 21}));
}

TEST_P(PreparedTest, BuffersDoNotOverlapAndAnEmptyOneIsNone) {
  Session session(compiled(affine));
  PreparedCall call = session.prepare("forward");
  call.bind_input(0, f32({2}, {1, 2}));
  call.bind_input(1, f32({}, {2}));
  Floats buffer(4, -1);
  call.bind_output(0, bytes_of(buffer).first(8));
  EXPECT_THROW(call.bind_output(2, bytes_of(buffer).subspan(4, 8)), Error);
  call.bind_output(2, bytes_of(buffer).subspan(8, 8));
  call();
  EXPECT_EQ(buffer, (Floats{2, 4, 1, 2}));
  call.bind_output(0, bytes_of(buffer).first(0));
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{2, 4}));
}

TEST_P(PreparedTest, TheArenaIsWithinTheLimit) {
  Session session(compiled(R"(
symbol N
method f(%x: f32[N]) -> (y) {
  %c = reshape %x {shape=[N, 1]}
  %r = reshape %x {shape=[1, N]}
  %y = add %c, %r
  return %y
}
)",
                           {.limits = {.bytes = 1 << 16}}));
  PreparedCall call = session.prepare();
  call.bind_input(0, f32({1000}, Floats(1000, 1)));
  try {
    call();
    FAIL() << "4 MB were placed";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::limit);
  }
  call.bind_input(0, f32({2}, {1, 2}));
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{2, 3, 3, 4}));
}

// Where outputs lie takes a little more than they have.
TEST_P(PreparedTest, TakesTheLimitThatAnyCallTakes) {
  constexpr const char* twice = R"(
method f(%x: f32[2]) -> (y) {
  %y = add %x, %x
  return %y
}
)";
  const int64_t needed = compiled(twice).memory_needed("f", {{2}});
  Session session(compiled(twice, {.limits = {.bytes = needed}}));
  PreparedCall call = session.prepare();
  call.bind_input(0, f32({1, 2}));
  call();
  EXPECT_EQ(values<float>(call.output(0)), (Floats{2, 4}));
}

TEST_P(PreparedTest, BoolsAre0Or1) {
  Session session(compiled(R"(
method f(%x: bool[3]) -> (y) {
  %y = logical_not %x
  return %y
}
)"));
  std::vector<uint8_t> bytes = {0, 1, 0};
  const Tensor x(DType::bool_, {3}, Buffer{nullptr, std::as_bytes(std::span(bytes))});
  PreparedCall call = session.prepare();
  call.bind_input(0, x);
  call();
  EXPECT_EQ(values<bool>(call.output(0)), (std::vector<bool>{true, false, true}));
  bytes[1] = 2;
  EXPECT_THROW(call(), Error);
  EXPECT_THROW(session.run({{"x", x}}), Error);
  EXPECT_THROW(session.bind("x", x), Error);
}

INGOT_ON_EVERY_TARGET(PreparedTest);

}  // namespace
}  // namespace ingot::test
