// Objects that were moved from or are empty throw Code::misuse, whatever is asked of them.
#include <gtest/gtest.h>

#include <functional>

#include "runtime/prepared.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

using Use = std::function<void()>;

void expect_misuse(std::initializer_list<Use> uses, const std::string& message) {
  for (const Use& use : uses) EXPECT_EQ(message_of(use, Code::misuse), message);
}

TEST(Misuse, ASessionThatWasMovedFrom) {
  Session session(compiled(totals));
  const Snapshot snapshot = session.snapshot();
  Session moved = std::move(session);
  Session& from = session;
  expect_misuse({[&] { from.run(totals_inputs(1, 2), "add"); },
                 [&] { from.run_on_device({}, "total"); },
                 [&] { from.upload(f32({1})); },
                 [&] { from.submit(totals_inputs(1, 2), "add"); },
                 [&] { from.sync(); },
                 [&] { from.run_pipelined(std::vector<std::vector<NamedTensor>>{}, {.method = "add"}); },
                 [&] { from.set_active_extent(1, 2); },
                 [&] { from.warm({}, "total"); },
                 [&] { from.handed_over(); },
                 [&] { from.prepare("add"); },
                 [&] { from.bind("x", f32({1, 2})); },
                 [&] { from.unbind("x"); },
                 [&] { from.is_bound("x"); },
                 [&] { from.feed("x", "total"); },
                 [&] { from.feed("x", 1, "add"); },
                 [&] { from.read("x"); },
                 [&] { from.state("total"); },
                 [&] { from.set_state("total", f32({1, 2})); },
                 [&] { from.reset(); },
                 [&] { from.fork(); },
                 [&] { from.snapshot(); },
                 [&] { from.restore(snapshot); },
                 [&] { from.state_bytes(); },
                 [&] { from.executable(); }},
                "the session was moved from");
  EXPECT_EQ(add(moved, 1, 2), (Floats{11, 22}));
  from = std::move(moved);
  EXPECT_EQ(add(from, 1, 2), (Floats{12, 24}));
}

TEST(Misuse, AnExecutableThatWasMovedFrom) {
  Executable executable = compiled(totals);
  const Executable moved = std::move(executable);
  Executable& from = executable;
  expect_misuse(
      {[&] { from.program(); }, [&] { from.lowered(); }, [&] { from.engine(); }, [&] { from.device(); },
       [&] { from.mode(); }, [&] { from.limits(); }, [&] { from.method("add"); }, [&] { from.signature("add"); },
       [&] { from.explain("add"); }, [&] { from.cost("add", {}); }, [&] { from.cost_under("add", {}); },
       [&] { from.output_shapes("add", {}); }, [&] { from.memory_needed("add", {}); },
       [&] { from.whole_extent_reason("add", 2); }, [&] { from.set_param("start", f32({1, 2})); },
       [&] { from.counters(); }, [&] { Session session(from); }},
      "the executable was moved from");
  EXPECT_EQ(moved.engine(), "reference");
}

TEST(Misuse, AFutureThatWasMovedFrom) {
  Session session(compiled(totals));
  Future future = session.submit(totals_inputs(1, 2), "add");
  const Future moved = std::move(future);
  const Future& from = future;
  expect_misuse({[&] { from.wait(); }, [&] { from.wait_for(std::chrono::seconds(1)); }, [&] { from.ready(); },
                 [&] { from.result(); }, [&] { from.error(); }, [&] { from.cancel(); }},
                "the future was moved from");
  EXPECT_EQ(moved.result().size(), 2u);
}

TEST(Misuse, APreparedCallThatWasMovedFrom) {
  Session session(compiled(totals));
  PreparedCall call = session.prepare("total");
  PreparedCall moved = std::move(call);
  PreparedCall& from = call;
  expect_misuse({[&] { from(); }, [&] { from.bind_input(0, f32({1, 2})); }, [&] { from.bind_output(0, {}); },
                 [&] { from.offsets(); }, [&] { from.arena(); }, [&] { from.output(0); }},
                "the prepared call was moved from");
  moved();
  EXPECT_EQ(values<float>(moved.output(0)), (Floats{10, 20}));
}

TEST(Misuse, ASnapshotThatIsEmpty) {
  Session session(compiled(totals));
  const Snapshot empty;
  expect_misuse(
      {[&] { empty.save("never-written.safetensors"); }, [&] { empty.bytes(); }, [&] { session.restore(empty); }},
      "the snapshot is empty, expected one that a session has taken");
}

}  // namespace
}  // namespace ingot::test
