// What a prepared call allocates once it has been made before: what MLX makes or is given to keep, and nothing else.
//
// An executable of its own, since it replaces `new` and `delete`.
#include "runtime/prepared.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <vector>

#include "tests/runtime/support.h"

namespace {

bool is_in_mlx() {
  std::array<void*, 64> frames;
  const int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  return std::any_of(frames.begin(), frames.begin() + depth, [](void* frame) {
    Dl_info info;
    return dladdr(frame, &info) != 0 && std::string_view(info.dli_fname).find("libmlx") != std::string_view::npos;
  });
}

// Blocks that this thread allocated outside MLX while it counts, but for those that MLX has freed: it was given them.
class Ledger {
 public:
  void add(void* block) {
    const std::lock_guard lock(mutex_);
    ++count_;
    if (const auto free = std::ranges::find(blocks_, nullptr); free != blocks_.end()) *free = block;
  }
  void remove(void* block) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(blocks_, block);
    if (found == blocks_.end()) return;
    *found = nullptr;
    if (is_in_mlx()) --count_;
  }
  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    blocks_.fill(nullptr);
    count_ = 0;
  }

 private:
  std::mutex mutex_;
  std::array<void*, 1024> blocks_{};
  int count_ = 0;
} ledger;

thread_local bool counts = false;

}  // namespace

void* operator new(size_t size) {
  void* block = std::malloc(size == 0 ? 1 : size);
  if (!block) throw std::bad_alloc();
  if (counts) {
    counts = false;  // while it looks
    if (!is_in_mlx()) ledger.add(block);
    counts = true;
  }
  return block;
}

void operator delete(void* block) noexcept {
  if (block) ledger.remove(block);
  std::free(block);
}
void operator delete(void* block, size_t) noexcept { operator delete(block); }

namespace ingot::test {
namespace {

// How often a call allocates on our side, the first few aside.
double allocations_of(PreparedCall& call, int calls) {
  for (int i = 0; i < 5; ++i) call();
  ledger.clear();
  counts = true;
  for (int i = 0; i < calls; ++i) call();
  counts = false;
  return static_cast<double>(ledger.count()) / calls;
}

TEST(Ledger, CountsWhatIsAllocated) {
  ledger.clear();
  counts = true;
  std::vector<int>* kept = nullptr;
  for (int i = 0; i < 3; ++i) {
    delete kept;
    kept = new std::vector<int>(7);
  }
  counts = false;
  delete kept;
  EXPECT_EQ(ledger.count(), 6);
}

struct Case {
  const char* name;
  const char* text;
  std::vector<Tensor> inputs;
  bool feeds = false;  // the output y is the first input of the next call
};

const std::vector<Case>& cases() {
  static const Tensor x = f32({3, 4}, Floats(12, 0.5F)), row = f32({1, 4}, {1, 2, 3, 4});
  static const std::vector<Case> all = {
      {"SymbolsAndAWeight",
       R"(
symbol S in 1..100
weight @w : f32[4] = [1.0, 2.0, 3.0, 4.0]
method f(%x: f32[S, 4]) -> (y, z) {
  %a = mul %x, @w
  %b = tanh %a
  %y = add %b, %x
  %z = reduce_sum %y {axes=[1]}
  return %y, %z
})",
       {x}},
      {"HoistedWork",
       R"(
weight @w : f32[4] = [1.0, 2.0, 3.0, 4.0]
method f(%x: f32[3, 4]) -> (y) {
  %v = exp @w
  %y = add %x, %v
  return %y
})",
       {x}},
      {"IntegersThatTheHostChecks",
       R"(
method f(%x: f32[3, 4], %i: i64[2]) -> (y) {
  %y = take %x, %i
  return %y
})",
       {x, Tensor::of<int64_t>({2}, {2, 0})}},
      {"IntegersThatTheDeviceChecks",
       R"(
method f(%x: f32[3, 4], %i: i64[2]) -> (y) {
  %j = mul %i, %i
  %y = take %x, %j
  return %y
})",
       {x, Tensor::of<int64_t>({2}, {1, 0})}},
      {"StateInPlace",
       R"(
state @rows : f32[64, 4] = zeros
method f(%x: f32[1, 4], %at: i64[]) -> (y) {
  %all = state_update %x, [%at] {state=@rows, axes=[0]}
  %y = reduce_sum %all {axes=[0]}
  return %y
})",
       {row, i64(7)}},
      {"StateThatAFailureWouldKeep",
       R"(
state @n : i64[] = zeros
method f(%x: f32[3, 4], %i: i64[2]) -> (y) {
  %n = state_read {state=@n}
  %m = max %n, %n
  %w = state_write %m {state=@n}
  %j = mul %i, %i
  %y = take %x, %j
  return %y
})",
       {x, Tensor::of<int64_t>({2}, {1, 0})}},
      {"OutputFedBack",
       R"(
method f(%x: f32[3, 4]) -> (y, z) {
  %y = tanh %x
  %z = add %y, %x
  return %y, %z
})",
       {x},
       true},
  };
  return all;
}

// How often a call of a case allocates on our side.
double allocations_in(const Case& one, Session session, int calls = 200) {
  if (one.feeds) {
    session.bind("x", one.inputs[0]);
    session.feed("x", "y");
  }
  PreparedCall call = session.prepare();
  for (size_t i = one.feeds ? 1 : 0; i < one.inputs.size(); ++i) call.bind_input(i, one.inputs[i]);
  return allocations_of(call, calls);
}

class Allocation : public testing::TestWithParam<Case> {};

TEST_P(Allocation, IsNoneOnOurSideWhereTheMethodIsReplayed) {
  for (const std::string mode : {"compiled", "async"}) {
    const CompileOptions options{.engine = "mlx", .device = "cpu", .mode = mode};
    EXPECT_LT(allocations_in(GetParam(), Session(compiled(GetParam().text, options))), 0.1) << mode;
  }
}

// These lower the method with every call: lists for each node and for what MLX computes of it, and not one more later.
TEST_P(Allocation, IsThatOfLoweringWhereItIsNot) {
  constexpr double most_per_node = 60;
  for (const std::string mode : {"lazy", "eager"}) {
    const Executable executable = compiled(GetParam().text, {.engine = "mlx", .device = "cpu", .mode = mode});
    const auto nodes = static_cast<double>(executable.lowered().method("f")->nodes.size());
    const double first = allocations_in(GetParam(), Session(executable), 5);
    EXPECT_LE(first, most_per_node * nodes) << mode;
    EXPECT_NEAR(allocations_in(GetParam(), Session(executable), 50), first, 0.5) << mode;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Allocation, testing::ValuesIn(cases()), [](const auto& one) { return one.param.name; });

}  // namespace
}  // namespace ingot::test
