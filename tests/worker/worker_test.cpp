// A worker does one piece of work after the other, whoever brings it.
//
// An executable of its own, which the thread sanitizer sees too.
#include "engines/mlx/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <latch>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

using std::chrono::milliseconds;

// Waits until other threads have surely come to where they wait.
void let_settle() { std::this_thread::sleep_for(milliseconds(50)); }

// Joined when it is let go of.
template <class F>
auto on_thread(F function) {
  return std::async(std::launch::async, std::move(function));
}

// A thread that is at work until it is let go.
class Busy {
 public:
  explicit Busy(Worker& worker)
      : thread_(on_thread([&] {
          Awake awake;
          worker.run([&] { id_ = std::this_thread::get_id(), begun_.count_down(), go_.wait(); }, awake);
        })) {
    begun_.wait();
  }
  void let_go() { go_.count_down(); }
  void let_go_later() {
    later_ = on_thread([this] { let_settle(), let_go(); });
  }
  std::thread::id id() const { return id_; }

 private:
  std::latch begun_{1}, go_{1};
  std::thread::id id_;
  std::future<void> thread_, later_;
};

TEST(Worker, ReturnsWhatWorkReturnsOrThrows) {
  Worker worker;
  Awake awake;
  EXPECT_EQ(*worker.run([] { return std::make_unique<int>(7); }, awake), 7);
  EXPECT_THROW(worker.run([] { throw std::out_of_range("far"); }, awake), std::out_of_range);
  EXPECT_EQ(worker.run([] { return std::string("after"); }, awake), "after");
}

TEST(Worker, DoesOnTheCallersThreadWhatFindsItIdle) {
  Worker worker;
  Awake awake;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(worker.run([] { return std::this_thread::get_id(); }, awake), std::this_thread::get_id());
  }
}

TEST(Worker, DoesOnItsOwnThreadWhatComesMeanwhileInOrder) {
  Worker worker;
  std::vector<std::string> order;
  std::vector<std::thread::id> on;
  std::vector<std::future<std::thread::id>> callers;
  std::vector<std::thread::id> ids;
  {
    Busy busy(worker);
    ids.push_back(busy.id());
    for (const char* name : {"a", "b", "c", "d"}) {
      std::latch comes(1);
      callers.push_back(on_thread([&, name] {
        comes.count_down();
        Awake awake;
        worker.run([&] { order.emplace_back(name), on.push_back(std::this_thread::get_id()); }, awake);
        return std::this_thread::get_id();
      }));
      comes.wait();
      let_settle();
    }
    EXPECT_TRUE(order.empty());
    busy.let_go();
  }
  for (auto& caller : callers) ids.push_back(caller.get());
  EXPECT_EQ(order, (std::vector<std::string>{"a", "b", "c", "d"}));
  for (const std::thread::id id : on) {
    EXPECT_EQ(id, on[0]);
    EXPECT_EQ(std::ranges::count(ids, id), 0);
  }
}

TEST(Worker, WorkMayHaveWorkDone) {
  Worker worker;
  Awake awake;
  const auto nested = [&] {
    Awake inner;
    return worker.run([&] { return worker.run([] { return std::this_thread::get_id(); }, inner); }, inner);
  };
  EXPECT_EQ(worker.run(nested, awake), std::this_thread::get_id());
  Busy busy(worker);
  busy.let_go_later();
  EXPECT_NE(worker.run(nested, awake), std::this_thread::get_id());
}

// What is thrown on its thread reaches the caller, and only that.
TEST(Worker, QueuedWorkMayThrow) {
  Worker worker;
  Awake awake;
  Busy busy(worker);
  busy.let_go_later();
  EXPECT_THROW(worker.run([] { throw Error(Code::limit, "too much"); }, awake), Error);
  EXPECT_EQ(worker.run([] { return 1; }, awake), 1);
}

TEST(Worker, OnePieceAtATime) {
  constexpr int threads = 16, pieces = 2000;
  Worker worker;
  int done = 0, within = 0;  // no atomics: the worker keeps them
  std::vector<std::future<void>> callers;
  for (int t = 0; t < threads; ++t) {
    callers.push_back(on_thread([&] {
      Awake awake;
      for (int mine = 0; mine < pieces; ++mine) {
        const int inside = worker.run([&] { return ++done, ++within, within--; }, awake);
        ASSERT_EQ(inside, 1);
      }
    }));
  }
  callers.clear();
  EXPECT_EQ(done, threads * pieces);
}

TEST(Worker, EndsWithWhatItHasAndRefusesTheRest) {
  Worker worker;
  bool is_done = false;
  {
    Busy busy(worker);
    const auto caller = on_thread([&] {
      Awake awake;
      worker.run([&] { is_done = true; }, awake);
    });
    let_settle();
    const auto ender = on_thread([&] { worker.end(); });
    let_settle();
    busy.let_go();
  }
  EXPECT_TRUE(is_done);
  Awake awake;
  try {
    worker.run([] { FAIL() << "worked"; }, awake);
    FAIL() << "went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::cancelled);
  }
  worker.end();  // again, and the destructor
}

// Callers that come back at once must not keep it from ending.
TEST(Worker, EndsWhileOthersGoOn) {
  Worker worker;
  std::atomic<int> calls = 0, refused = 0;
  std::vector<std::future<void>> callers;
  for (int t = 0; t < 8; ++t) {
    callers.push_back(on_thread([&] {
      Awake awake;
      try {
        while (true) worker.run([&] { ++calls, std::this_thread::sleep_for(milliseconds(1)); }, awake);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::cancelled);
        ++refused;
      }
    }));
  }
  while (calls < 20) std::this_thread::yield();
  EXPECT_TRUE(worker.end());
  callers.clear();
  EXPECT_EQ(refused, 8);
}

TEST(Worker, DoesNotEndFromWork) {
  Worker worker;
  Awake awake;
  EXPECT_FALSE(worker.run([&] { return worker.end(); }, awake));
  EXPECT_EQ(worker.run([] { return 1; }, awake), 1);
}

TEST(Worker, ManyEnd) {
  for (int i = 0; i < 200; ++i) {
    Worker worker;
    Awake awake;
    if (i % 2 == 0) worker.run([] {}, awake);
  }
}

TEST(Awake, TriesLessWhereItIsInVain) {
  Awake awake;
  const auto looks = [&] {
    int count = 0;
    EXPECT_FALSE(awake.sees([&] { return ++count < 0; }));
    return count;
  };
  for (int i = 0; i < 3; ++i) EXPECT_GT(looks(), 1) << i;
  int tries = 0;
  for (int i = 0; i < 320; ++i) tries += looks() > 1 ? 1 : 0;
  EXPECT_EQ(tries, 10);
  // What is there at once says nothing of what is waited for.
  EXPECT_TRUE(awake.sees([] { return true; }));
  EXPECT_EQ(looks(), 1);
}

TEST(Awake, TriesAgainWhereItPays) {
  Awake awake;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(awake.sees([] { return false; }));
  const auto comes_soon = [&] {
    int looks = 0;
    return awake.sees([&] { return ++looks > 1; });
  };
  int missed = 0;
  while (!comes_soon()) ASSERT_LT(++missed, 32);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(comes_soon());
}

}  // namespace
}  // namespace ingot::mlx_engine
