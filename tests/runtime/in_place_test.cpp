// States that a device writes in place: only where nobody else sees them, and never by a call that fails.
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "runtime/prepared.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

// Rows that are written one by one; `twice` writes at an index that only the device knows.
constexpr const char* rows = R"(
state @rows : f32[64, 1024] = zeros
state @count : i64[] = zeros
method append(%x: f32[1, 1024]) -> (sum) {
  %n = state_read {state=@count}
  %one = size_of {size=1}
  %m = add %n, %one
  %written = state_write %m {state=@count}
  %all = state_update %x, [%n] {state=@rows, axes=[0]}
  %sum = reduce_sum %all {axes=[0, 1]}
  return %sum
}
method put(%x: f32[1, 1024], %i: i32[]) -> (sum) {
  %all = state_update %x, [%i] {state=@rows, axes=[0]}
  %sum = reduce_sum %all {axes=[0, 1]}
  return %sum
}
method twice(%x: f32[1, 1024], %i: i32[]) -> (sum) {
  %j = mul %i, %i
  %all = state_update %x, [%j] {state=@rows, axes=[0]}
  %sum = reduce_sum %all {axes=[0, 1]}
  return %sum
}
method show() -> (all, first) {
  %all = state_read {state=@rows}
  %first = slice %all {axes=[0], starts=[0], stops=[1]}
  return %all, %first
}
)";

class InPlaceTest : public OnTarget {
 protected:
  static bool writes_in_place() { return !is_reference() && GetParam() != "mlx:eager"; }
};

Tensor row_of(float value) { return f32({1, 1024}, Floats(1024, value)); }
float append(Session& session, float value) {
  return session.run({{"x", row_of(value)}}, "append")[0].tensor.as<float>()[0];
}
float put(Session& session, float value, int32_t at, const char* method = "put") {
  return session.run({{"x", row_of(value)}, {"i", Tensor::of<int32_t>({}, {at})}}, method)[0].tensor.as<float>()[0];
}
// What is in each row, which holds one value.
Floats contents(const Tensor& all) {
  Floats firsts;
  for (size_t i = 0; i < 64; ++i) firsts.push_back(all.as<float>()[i * 1024 + 1023]);
  return firsts;
}
Floats contents(const Session& session) { return contents(session.state("rows")); }
Floats row_values(const Floats& first) {
  Floats all = first;
  all.resize(64, 0);
  return all;
}

// What is read from another device is a copy.
void expect_one(const std::set<const void*>& places, const Session& session, bool writes_in_place) {
  const bool visible = writes_in_place && session.executable().device() == "cpu";
  EXPECT_TRUE(places.size() == 1 || !visible) << places.size();
}

TEST_P(InPlaceTest, StatesStayWhereTheyAre) {
  Session session(compiled(rows));
  append(session, 1);  // the first write leaves what every session begins with
  std::set<const void*> places;
  for (int i = 2; i <= 20; ++i) {
    EXPECT_EQ(append(session, static_cast<float>(i)), 1024.0F * static_cast<float>(i * (i + 1) / 2));
    put(session, 7, 63);
    places.insert(session.state("rows").bytes().data());
    put(session, 0, 63);
  }
  expect_one(places, session, writes_in_place());
  EXPECT_EQ(session.state("count").as<int64_t>()[0], 20);
}

// Its outputs are copies of what it has let go of.
TEST_P(InPlaceTest, PreparedCallsKeepNoState) {
  Session session(compiled(rows));
  append(session, 1);
  PreparedCall show = session.prepare("show");
  std::set<const void*> places;
  Floats expected = {1};
  for (int i = 2; i <= 10; ++i) {
    show();
    EXPECT_EQ(contents(show.output(0)), row_values(expected));
    EXPECT_EQ(show.output(1).as<float>()[0], 1.0F);
    append(session, static_cast<float>(i));
    expected.push_back(static_cast<float>(i));
    places.insert(session.state("rows").bytes().data());
  }
  expect_one(places, session, writes_in_place());
}

TEST_P(InPlaceTest, ForksSnapshotsAndOutputsKeepWhatTheySaw) {
  Session session(compiled(rows));
  append(session, 1);
  append(session, 2);
  Session fork = session.fork();
  const Snapshot snapshot = session.snapshot();
  const Tensor state = session.state("rows");
  const auto shown = session.run({}, "show");
  append(session, 3);
  append(fork, 30);
  append(session, 4);
  append(fork, 40);
  const Floats before = row_values({1, 2});
  EXPECT_EQ(contents(state), before);
  EXPECT_EQ(contents(shown[0].tensor), before);
  EXPECT_EQ(shown[1].tensor.as<float>()[0], 1.0F);
  EXPECT_EQ(contents(session), row_values({1, 2, 3, 4}));
  EXPECT_EQ(contents(fork), row_values({1, 2, 30, 40}));
  session.restore(snapshot);
  EXPECT_EQ(contents(session), before);
  append(session, 5);
  EXPECT_EQ(contents(session), row_values({1, 2, 5}));
  session.restore(snapshot);
  EXPECT_EQ(contents(session), before);
  session.reset();
  EXPECT_EQ(contents(session), row_values({}));
}

TEST_P(InPlaceTest, CallsThatFailWriteNothing) {
  Session session(compiled(rows));
  append(session, 1);
  append(session, 2);
  for (const char* method : {"put", "twice"}) {
    EXPECT_EQ(put(session, 9, 5, method), 1024.0F * 12);
    EXPECT_EQ(put(session, 0, 5, method), 1024.0F * 3);
    for (int32_t at : {64, -1, 70000}) {
      if (at < 0 && method == std::string_view("twice")) continue;  // whose square is there
      const Floats before = contents(session);
      EXPECT_NE(message_of([&] { put(session, 5, at, method); }, Code::out_of_range).find("start along axis 0 is"),
                std::string::npos);
      EXPECT_EQ(contents(session), before);
    }
  }
  for (int i = 3; i <= 64; ++i) append(session, 1);
  const Floats full = contents(session);
  EXPECT_EQ(message_of([&] { append(session, 1); }, Code::out_of_range),
            "[state_update] start along axis 0 is 64, expected 0 to 63 (1 elements go into 64) (at append: %all)");
  EXPECT_EQ(contents(session), full);
  EXPECT_EQ(session.state("count").as<int64_t>()[0], 64);
}

TEST_P(InPlaceTest, ManyCallsMayBeUnderWay) {
  Session session(compiled(rows));
  std::vector<Future> futures;
  for (int i = 1; i <= 60; ++i) futures.push_back(session.submit({{"x", row_of(static_cast<float>(i))}}, "append"));
  Session fork = session.fork();
  for (int i = 1; i <= 60; ++i) {
    EXPECT_EQ(futures[static_cast<size_t>(i - 1)].result()[0].tensor.as<float>()[0],
              1024.0F * static_cast<float>(i * (i + 1) / 2));
  }
  put(session, 100, 0);
  EXPECT_EQ(contents(fork)[0], 1.0F);
  EXPECT_EQ(contents(session)[0], 100.0F);
  const Future bad = session.submit({{"x", row_of(1)}, {"i", Tensor::of<int32_t>({}, {64})}}, "put");
  const Future good = session.submit({{"x", row_of(1)}}, "append");
  EXPECT_TRUE(bad.error().has_value());
  EXPECT_FALSE(good.error().has_value());
  EXPECT_EQ(session.state("count").as<int64_t>()[0], 61);
}

// A fork shares arrays with the session that it comes from, until either writes.
TEST_P(InPlaceTest, ForksRunOnOtherThreads) {
  const Executable executable = compiled(rows);
  for (int round = 0; round < 10; ++round) {
    Session session(executable);
    for (int i = 0; i < 3; ++i) session.submit({{"x", row_of(1)}}, "append");
    std::vector<Session> forks;
    for (int i = 0; i < 4; ++i) forks.push_back(session.fork());
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&forks, i] {
        Session& mine = forks[static_cast<size_t>(i)];
        for (int call = 0; call < 5; ++call) append(mine, static_cast<float>(i));
        EXPECT_EQ(contents(mine), row_values({1, 1, 1, static_cast<float>(i), static_cast<float>(i),
                                              static_cast<float>(i), static_cast<float>(i), static_cast<float>(i)}));
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(contents(session), row_values({1, 1, 1}));
  }
}

// An index that is computed has nothing to do with an input that nobody needs any more.
TEST_P(InPlaceTest, ComputedIndicesAreCheckedThemselves) {
  Session session(compiled(R"(
weight @table : f32[2] = [1.0, 2.0]
method f(%x: f32[4], %i: i64[]) -> (a, b) {
  %a = take %x, %i
  %j = argmax %x
  %b = take @table, %j
  return %a, %b
}
)"));
  for (int i = 0; i < 20; ++i) {
    const auto outputs = session.run({{"x", f32({1, 5, 2, 3})}, {"i", i64(3)}});
    EXPECT_EQ(outputs[1].tensor.as<float>()[0], 2.0F);
    EXPECT_EQ(message_of([&] { session.run({{"x", f32({1, 2, 5, 3})}, {"i", i64(0)}}); }, Code::out_of_range),
              "[take] index 2 is outside an axis of 2 elements (at f: %b)");
  }
}

INGOT_ON_EVERY_TARGET(InPlaceTest);

}  // namespace
}  // namespace ingot::test
