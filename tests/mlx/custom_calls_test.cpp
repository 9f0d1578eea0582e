// Ops of the host that use the runtime themselves, in the midst of a call.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <latch>
#include <optional>

#include "engines/mlx/custom.h"
#include "tests/runtime/support.h"

namespace ingot {
namespace {

using test::f32;
using test::Floats;
using test::values;

// Both methods multiply the weight ahead of calls. An op is called again for other sizes where calls are traced.
constexpr const char* program = R"(
symbol N in 1..64
weight @w : f32[1] = [2.0]
state @count : i64[] = zeros
method plain(%x: f32[N]) -> (y) {
  %square = mul @w, @w
  %y = add %square, %x
  return %y
}
method hooked(%x: f32[N]) -> (y) {
  %square = mul @w, @w
  %h = add %square, %x
  %y = custom [%h] {name="acme.hook", results=[f32[N]]}
  return %y
}
)";

class CustomCalls : public test::OnTarget {
 protected:
  // An op that gives back its operand, after what the test does.
  CustomCalls() {
    const auto called = [this](const auto& operands, const auto&) {
      if (hook) hook();
      return operands;
    };
    registry_->add_meaning("acme.hook", {[](const auto& operands, const auto&) { return operands; }});
    registry_->add_reference("acme.hook", called);
    mlx_engine::add_mlx_op(*registry_, "acme.hook", called);
    executable.emplace(compiled(program, {.registry = registry_}));
  }

  // Every time with a size that no call had: the first element.
  float first(Session& session, const char* method) { return values<float>(session.run(zeros(), method)[0].tensor)[0]; }
  std::vector<NamedTensor> zeros() {
    const int64_t n = ++size_;
    return {{"x", f32({n}, Floats(static_cast<size_t>(n), 0))}};
  }

  std::optional<Executable> executable;
  std::function<void()> hook;

 private:
  const std::shared_ptr<Registry> registry_ = std::make_shared<Registry>();
  std::atomic<int64_t> size_ = 0;
};

INGOT_ON_EVERY_TARGET(CustomCalls);

TEST_P(CustomCalls, RunOtherSessionsWhoseWeightsHaveChanged) {
  Session outer(*executable), inner(*executable);
  float seen = 0;
  hook = [&] { seen = first(inner, "plain"); };
  for (const float w : {2.F, 3.F, 4.F}) {
    if (w != 2) executable->set_param("w", f32({w}));
    EXPECT_EQ(first(outer, "hooked"), w * w);
    EXPECT_EQ(seen, w * w);
  }
}

TEST_P(CustomCalls, SetWeightsForCallsThatComeLater) {
  Session session(*executable);
  hook = [&] {
    executable->set_param("w", f32({5}));
    executable->counters();
  };
  EXPECT_EQ(first(session, "hooked"), 4);
  hook = nullptr;
  EXPECT_EQ(first(session, "hooked"), 25);
  EXPECT_EQ(first(session, "plain"), 25);
}

TEST_P(CustomCalls, WeightsDoNotWaitForCalls) {
  std::latch begun(1), go(1);
  std::atomic<bool> is_first = true;
  hook = [&] {
    if (is_first.exchange(false)) begun.count_down(), go.wait();
  };
  const auto call = [this] {
    Session session(*executable);
    return first(session, "hooked");
  };
  auto before = std::async(std::launch::async, call);
  begun.wait();
  executable->set_param("w", f32({5}));
  go.count_down();
  EXPECT_EQ(before.get(), 4);
  EXPECT_EQ(call(), 25);
}

TEST_P(CustomCalls, CannotUseTheSessionThatRunsThem) {
  Session session(*executable);
  constexpr const char* expected = "the session is in a call: an op of the host cannot use the one that runs it";
  for (const std::function<void()>& use : std::initializer_list<std::function<void()>>{
           [&] { session.run(zeros(), "plain"); }, [&] { session.submit(zeros(), "plain"); },
           [&] { session.state("count"); }, [&] { session.reset(); }, [&] { session.fork(); },
           [&] { session.bind("x", f32({1})); }}) {
    hook = use;
    for (const bool submitted : {false, true}) {
      const auto call = [&] {
        submitted ? session.submit(zeros(), "hooked").result() : session.run(zeros(), "hooked");
      };
      EXPECT_NE(test::message_of(call, Code::misuse).find(expected), std::string::npos);
    }
    hook = nullptr;
    EXPECT_EQ(first(session, "hooked"), 4);
  }
}

}  // namespace
}  // namespace ingot
