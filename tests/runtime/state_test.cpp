// The states of a session: begin, commit, rollback, reset, set, fork; and many sessions at once.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/runtime/support.h"

namespace ingot {
namespace {

using test::compiled;
using test::f32;
using test::i64;
using test::message_of;
using test::values;

// Adds x to a total and counts; picks x[i], which fails after the writes for an i that is not there.
constexpr const char* totals = R"(
weight @start : f32[2] = [10.0, 20.0]
state @total : f32[2] = @start
state @calls : i64[] = zeros
method add(%x: f32[2], %i: i64[]) -> (picked, total) {
  %t = state_read {state=@total}
  %u = add %t, %x
  %v = state_write %u {state=@total}
  %n = state_read {state=@calls}
  %one = full {shape=[], value=1, dtype=i64}
  %m = add %n, %one
  %w = state_write %m {state=@calls}
  %picked = take %v, %i
  return %picked, %v
}
method total() -> (total, calls) {
  %t = state_read {state=@total}
  %n = state_read {state=@calls}
  return %t, %n
}
)";

using Floats = std::vector<float>;

Floats add(Session& session, float a, float b, int64_t pick = 0) {
  return values<float>(session.run({{"x", f32({2}, {a, b})}, {"i", i64(pick)}}, "add")[1].tensor);
}
Floats total(const Session& session) { return values<float>(session.state("total")); }
int64_t calls(const Session& session) { return session.state("calls").as<int64_t>()[0]; }

TEST(State, BeginsAsDeclaredAndCommits) {
  Session session(compiled(totals));
  EXPECT_EQ(total(session), (Floats{10, 20}));
  EXPECT_EQ(calls(session), 0);
  EXPECT_EQ(add(session, 1, 2), (Floats{11, 22}));
  EXPECT_EQ(add(session, 1, 2), (Floats{12, 24}));
  const auto outputs = session.run({}, "total");
  EXPECT_EQ(values<float>(outputs[0].tensor), (Floats{12, 24}));
  EXPECT_EQ(values<int64_t>(outputs[1].tensor), std::vector<int64_t>{2});
  EXPECT_EQ(calls(session), 2);
}

TEST(State, IsAsBeforeAfterAFailedCall) {
  Session session(compiled(totals));
  add(session, 1, 1);
  EXPECT_EQ(message_of([&] { add(session, 5, 5, 2); }, Code::out_of_range),
            "[take] index 2 is outside an axis of 2 elements (at add: %picked)");
  EXPECT_EQ(total(session), (Floats{11, 21}));
  EXPECT_EQ(calls(session), 1);
  EXPECT_EQ(message_of([&] { session.run({{"x", f32({3}, {1, 2, 3})}, {"i", i64(0)}}, "add"); }, Code::type_mismatch),
            "[add] input x is f32[3], expected f32[2]");
  EXPECT_EQ(calls(session), 1);
  EXPECT_EQ(add(session, 1, 1), (Floats{12, 22}));
}

TEST(State, IsAsBeforeWhenALimitEndsTheCall) {
  Session session(compiled(R"(
state @n : i64[] = zeros
graph always(%n: i64[]) -> (c) {
  %c = full {shape=[], value=1, dtype=bool}
  return %c
}
graph next(%n: i64[]) -> (m) {
  %one = full {shape=[], value=1, dtype=i64}
  %a = add %n, %one
  %m = state_write %a {state=@n}
  return %m
}
method forever() -> (n) {
  %zero = state_read {state=@n}
  %n = while [%zero] {condition=@always, body=@next}
  return %n
}
)",
                           {.limits = {.steps = 1000}}));
  EXPECT_NE(message_of([&] { session.run({}); }, Code::limit).find("the call takes more than 1000 steps"),
            std::string::npos);
  EXPECT_EQ(session.state("n").as<int64_t>()[0], 0);
}

TEST(State, ContentsThatWereReadStayAsTheyWere) {
  Session session(compiled(totals));
  const Tensor before = session.state("total");
  const Tensor output = session.run({}, "total")[0].tensor;
  add(session, 1, 1);
  EXPECT_EQ(values<float>(before), (Floats{10, 20}));
  EXPECT_EQ(values<float>(output), (Floats{10, 20}));
}

TEST(State, ResetGoesBackToTheBeginning) {
  Session session(compiled(totals));
  add(session, 1, 2);
  session.reset();
  EXPECT_EQ(total(session), (Floats{10, 20}));
  EXPECT_EQ(calls(session), 0);
  EXPECT_EQ(add(session, 1, 2), (Floats{11, 22}));
}

TEST(State, CanBeSet) {
  Session session(compiled(totals));
  session.set_state("total", f32({2}, {-1, -2}));
  session.set_state("calls", i64(40));
  EXPECT_EQ(add(session, 1, 1), (Floats{0, -1}));
  EXPECT_EQ(calls(session), 41);
  EXPECT_EQ(message_of([&] { session.set_state("total", f32({3}, {1, 2, 3})); }, Code::type_mismatch),
            "state total is f32[3], expected f32[2]");
  EXPECT_EQ(message_of([&] { session.set_state("calls", f32({}, {1})); }, Code::type_mismatch),
            "state calls is f32[], expected i64[]");
  EXPECT_EQ(message_of([&] { session.set_state("totals", i64(1)); }, Code::not_found),
            "there is no state totals, did you mean 'total'?");
  EXPECT_EQ(message_of([&] { session.state("cache"); }, Code::not_found), "there is no state cache");
  EXPECT_EQ(total(session), (Floats{0, -1}));
}

TEST(State, AForkGoesOnByItself) {
  Session session(compiled(totals));
  add(session, 1, 1);
  Session fork = session.fork();
  EXPECT_EQ(total(fork), (Floats{11, 21}));
  EXPECT_EQ(add(fork, 100, 100), (Floats{111, 121}));
  EXPECT_EQ(total(session), (Floats{11, 21}));
  EXPECT_EQ(add(session, 1, 1), (Floats{12, 22}));
  EXPECT_EQ(total(fork), (Floats{111, 121}));
  fork.reset();
  EXPECT_EQ(total(fork), (Floats{10, 20}));
}

TEST(State, SessionsOfOneExecutableAreApart) {
  const Executable executable = compiled(totals);
  Session a(executable), b(executable);
  add(a, 1, 1);
  EXPECT_EQ(total(b), (Floats{10, 20}));
  Session moved = std::move(a);
  EXPECT_EQ(total(moved), (Floats{11, 21}));
}

// Each thread has a session of its own, and forks of one that they all begin with.
TEST(Threads, ManySessionsOnOneExecutable) {
  constexpr int kThreads = 8, kCalls = 50;
  const Executable executable = compiled(totals);
  Session first(executable);
  add(first, 1, 1);
  std::vector<Session> forks;
  for (int i = 0; i < kThreads; ++i) forks.push_back(first.fork());
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      Session own(executable);
      const auto step = static_cast<float>(i);
      for (int call = 1; call <= kCalls; ++call) {
        wrong += add(own, step, 1) != Floats{10 + step * static_cast<float>(call), 20 + static_cast<float>(call)};
        wrong += add(forks[static_cast<size_t>(i)], 0, 0) != Floats{11, 21};
        try {
          add(own, 1000, 1000, 7);
          ++wrong;
        } catch (const Error&) {
        }
      }
      wrong += calls(own) != kCalls;
      own.reset();
      wrong += total(own) != Floats{10, 20};
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(total(first), (Floats{11, 21}));
}

}  // namespace
}  // namespace ingot
