// Many sessions on many threads: what each gets is, bit for bit, what it gets alone.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cmath>
#include <functional>
#include <memory>
#include <thread>

#include "runtime/prepared.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

constexpr int kThreads = 16;

// A small network with state, a size of its own in every session, and an index that may be refused.
constexpr const char* network = R"(
symbol S
weight @w : f32[4, 4] = [0.1, 0.2, 0.3, 0.4, 0.5, -0.6, 0.7, -0.8, 0.9, 1.0, -1.1, 1.2, 0.3, 0.1, 0.2, -0.5]
state @h : f32[4] = zeros
method step(%x: f32[S, 4], %i: i64[]) -> (y, h, row) {
  %m = matmul %x, @w
  %t = tanh %m
  %s = reduce_sum %t {axes=[0]}
  %h = state_read {state=@h}
  %d = mul %h, %s
  %n = add %d, %s
  %g = tanh %n
  %k = state_write %g {state=@h}
  %y = add %t, %k
  %row = take %y, %i {axis=0}
  return %y, %k, %row
}
)";

class ThreadsTest : public OnTarget {};

void on_threads(int count, const std::function<void(int)>& work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

std::vector<NamedTensor> network_inputs(int session, int call) {
  const int64_t rows = 1 + session % 5;
  Floats x;
  for (int64_t i = 0; i < rows * 4; ++i) x.push_back(0.1f * static_cast<float>((session + 3 * call + i) % 17) - 0.8f);
  return {{"x", f32({rows, 4}, x)}, {"i", i64((session + call) % 7 == 0 ? rows : 0)}};
}

void append(std::string& record, const std::vector<NamedTensor>& outputs) {
  for (const NamedTensor& output : outputs) record += text_of(output.tensor.bytes());
}

// A session and everything that it says in its calls: run, submitted, prepared, in turns. Those of the index that is not
// there fail.
class Life {
 public:
  static constexpr int kCalls = 9;

  Life(const Executable& executable, int number)
      : number_(number), session_(executable), prepared_(session_.prepare()) {}

  void call(int i) {
    const std::vector<NamedTensor> inputs = network_inputs(number_, i);
    try {
      switch (i % 3) {
        case 0: append(record_, session_.run(inputs)); break;
        case 1: append(record_, session_.submit(inputs).result()); break;
        default:
          prepared_.bind_input(0, inputs[0].tensor);
          prepared_.bind_input(1, inputs[1].tensor);
          prepared_();
          for (size_t output = 0; output < 3; ++output) record_ += text_of(prepared_.output(output).bytes());
      }
    } catch (const Error& error) {
      record_ += error.what();
    }
  }
  std::string record() const { return record_ + text_of(session_.state("h").bytes()); }

 private:
  int number_;
  Session session_;
  PreparedCall prepared_;
  std::string record_;
};

std::string life_alone(const Executable& executable, int number) {
  Life life(executable, number);
  for (int call = 0; call < Life::kCalls; ++call) life.call(call);
  return life.record();
}

// All of them live from the first call to the last. Each thread has every sixteenth, and calls them in turn.
TEST_P(ThreadsTest, SixtyFourSessionsOnSixteenThreads) {
  constexpr int kSessions = 64;
  const Executable executable = compiled(network, {.cached_signatures = 3});
  std::vector<std::string> alone;
  for (int i = 0; i < kSessions; ++i) alone.push_back(life_alone(executable, i));
  std::vector<std::unique_ptr<Life>> lives;
  for (int i = 0; i < kSessions; ++i) lives.push_back(std::make_unique<Life>(executable, i));
  std::barrier start(kThreads);
  on_threads(kThreads, [&](int thread) {
    start.arrive_and_wait();
    for (int call = 0; call < Life::kCalls; ++call) {
      for (int i = thread; i < kSessions; i += kThreads) lives[static_cast<size_t>(i)]->call(call);
    }
  });
  for (size_t i = 0; i < kSessions; ++i) EXPECT_EQ(alone[i] == lives[i]->record(), true) << i;
  EXPECT_NE(alone[0].find("is outside an axis of"), std::string::npos);
  EXPECT_LE(executable.counters().cached, 3);
}

// Each thread has a session of its own, and forks of one that they all begin with.
TEST_P(ThreadsTest, ForksOfOneSession) {
  constexpr int kCalls = 20;
  const Executable executable = compiled(totals);
  Session first(executable);
  add(first, 1, 1);
  std::vector<Session> forks;
  for (int i = 0; i < kThreads; ++i) forks.push_back(first.fork());
  std::atomic<int> wrong = 0;
  on_threads(kThreads, [&](int i) {
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
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(total(first), (Floats{11, 21}));
}

// A prepared call puts new tensors in the place of old ones: not of those that forks have, or are letting go of.
TEST_P(ThreadsTest, PreparedCallsWhileForksComeAndGo) {
  const Executable executable = compiled(R"(
state @sum : f32[] = zeros
method step(%x: f32[]) -> (twice) {
  %s = state_read {state=@sum}
  %t = add %s, %x
  %w = state_write %t {state=@sum}
  %twice = add %x, %x
  return %twice
}
)");
  Session session(executable);
  session.bind("x", f32({}, {1}));
  session.feed("x", "twice");
  PreparedCall call = session.prepare();
  std::vector<std::thread> others;
  for (int calls = 1; calls <= 20; ++calls) {
    call();
    others.emplace_back([calls, fork = session.fork()]() mutable {
      const auto next = std::ldexp(1.0F, calls);  // of 1 + 2 + 4 + …
      EXPECT_EQ(values<float>(fork.state("sum")), Floats{next - 1});
      EXPECT_EQ(values<float>(fork.read("x")), Floats{next});
      PreparedCall more = fork.prepare();
      for (int i = 0; i < 3; ++i) more();
      EXPECT_EQ(values<float>(fork.state("sum")), Floats{8 * next - 1});
      EXPECT_EQ(values<float>(fork.read("x")), Floats{8 * next});
    });
  }
  EXPECT_EQ(values<float>(session.state("sum")), Floats{std::ldexp(1.0F, 20) - 1});
  for (std::thread& other : others) other.join();
}

TEST_P(ThreadsTest, ProgramsAreCompiledWhileOthersRun) {
  const Executable shared = compiled(totals);
  std::atomic<int> wrong = 0;
  const CompileOptions options = on_target();
  on_threads(8, [&](int i) {
    for (int round = 0; round < 4; ++round) {
      Session session(i % 2 ? shared : compiled(totals, options));
      const Future later = session.submit(totals_inputs(1, 2), "add");
      wrong += add(session, 1, 2) != Floats{12, 24};
      wrong += values<float>(later.result()[1].tensor) != Floats{11, 22};
    }
  });
  EXPECT_EQ(wrong, 0);
}

// A call sees one value of a parameter, the old or a new one.
TEST_P(ThreadsTest, ParametersChangeWhileCallsRun) {
  Executable executable = compiled(R"(
weight @w : f32[2] = [0.0, 0.0]
method forward(%x: f32[2]) -> (y, w) {
  %y = add %x, @w
  return %y, @w
}
)");
  std::atomic<int> wrong = 0;
  on_threads(6, [&](int i) {
    Session session(executable);
    for (int call = 0; call < 20; ++call) {
      const auto value = static_cast<float>(i * 100 + call);
      if (i < 2) executable.set_param("w", f32({value, value}));
      const auto outputs = session.run({{"x", f32({1, 1})}});
      const Floats y = values<float>(outputs[0].tensor), w = values<float>(outputs[1].tensor);
      wrong += y != Floats{w[0] + 1, w[0] + 1} || w[0] != w[1];
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST_P(ThreadsTest, FuturesAreCancelledFromOtherThreads) {
  const Executable executable = compiled(forever);
  Session session(executable);
  for (int round = 0; round < 5; ++round) {
    const Future future = session.submit({}, "forever");
    on_threads(3, [&](int i) {
      if (i == 0) future.cancel();
      EXPECT_EQ(to_string(future.error()->code()), to_string(Code::cancelled));
    });
  }
  EXPECT_EQ(session.state("n").as<int64_t>()[0], 0);
}

INGOT_ON_EVERY_TARGET(ThreadsTest);

}  // namespace
}  // namespace ingot::test
