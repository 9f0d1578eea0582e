// Snapshots: in memory, in files, into other sessions and engines; and forks beside them.
#include <gtest/gtest.h>

#include <fstream>

#include "program/io/safetensors.h"
#include "tests/runtime/support.h"

namespace ingot::test {
namespace {

class SnapshotTest : public OnTarget {};

TEST_P(SnapshotTest, GoesBack) {
  Session session(compiled(totals));
  add(session, 1, 2);
  const Snapshot snapshot = session.snapshot();
  EXPECT_EQ(snapshot.bytes(), 16);
  EXPECT_EQ(session.state_bytes(), 16);
  add(session, 1, 2);
  add(session, 1, 2);
  session.restore(snapshot);
  EXPECT_EQ(total(session), (Floats{11, 22}));
  EXPECT_EQ(calls(session), 1);
  EXPECT_EQ(add(session, 4, 4), (Floats{15, 26}));
  session.restore(snapshot);  // as often as wanted
  EXPECT_EQ(total(session), (Floats{11, 22}));
}

TEST_P(SnapshotTest, WaitsForWhatWasSubmitted) {
  Session session(compiled(totals));
  for (int i = 0; i < 5; ++i) session.submit(totals_inputs(1, 1), "add");
  const Snapshot snapshot = session.snapshot();
  Session other(session.executable());
  other.restore(snapshot);
  EXPECT_EQ(calls(other), 5);
}

TEST_P(SnapshotTest, GoesThroughAFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "state.safetensors";
  const Executable executable = compiled(totals);
  Session session(executable);
  add(session, 1, 2);
  session.snapshot().save(path);
  session.reset();
  session.restore(Snapshot::load(path, executable));
  EXPECT_EQ(add(session, 1, 2), (Floats{12, 24}));
  EXPECT_EQ(calls(session), 2);
}

TEST_P(SnapshotTest, GoesIntoEveryOtherEngine) {
  const TemporaryFolder folder;
  const std::string path = folder / "state.safetensors";
  Session session(compiled(totals));
  add(session, 1, 2);
  const Snapshot snapshot = session.snapshot();
  snapshot.save(path);
  for (const std::string& name : every_target()) {
    const Target target = Target::parse(name);
    Session other(compiled(totals, {.engine = target.engine, .mode = target.mode}));
    other.restore(snapshot);
    EXPECT_EQ(add(other, 1, 2), (Floats{12, 24})) << name;
    other.restore(Snapshot::load(path, other.executable()));
    EXPECT_EQ(add(other, 3, 3), (Floats{14, 25})) << name;
  }
  EXPECT_EQ(total(session), (Floats{11, 22}));
}

TEST_P(SnapshotTest, RefusesFilesOfOtherStates) {
  const TemporaryFolder folder;
  const std::string path = folder / "state.safetensors";
  const Executable executable = compiled(totals);
  const auto load_error = [&](const std::vector<NamedTensor>& tensors) {
    write_safetensors(path, tensors);
    std::string message = message_of([&] { Snapshot::load(path, executable); }, Code::type_mismatch);
    if (const size_t at = message.find(path); at != message.npos) message.replace(at, path.size(), "FILE");
    return message;
  };
  EXPECT_EQ(load_error({{"total", f32({1, 2})}}), "FILE has no state calls");
  EXPECT_EQ(load_error({{"total", f32({1, 2, 3})}, {"calls", i64(1)}}),
            "state total of FILE is f32[3], expected f32[2]");
  EXPECT_EQ(load_error({{"total", f32({1, 2})}, {"calls", f32({}, {1})}}),
            "state calls of FILE is f32[], expected i64[]");
  EXPECT_EQ(load_error({{"total", f32({1, 2})}, {"calls", i64(1)}, {"more", i64(1)}}),
            "FILE holds 3 tensors, expected 2 (one for each state)");
  std::ofstream(path) << "these are no tensors";
  EXPECT_NE(message_of([&] { Snapshot::load(path, executable); }, Code::bad_file), "no error");
  EXPECT_NE(message_of([&] { Snapshot::load(folder / "none", executable); }, Code::not_found), "no error");
}

TEST_P(SnapshotTest, RefusesSnapshotsOfOtherStates) {
  Session session(compiled(totals));
  Session other_names(compiled(R"(
state @sum : f32[2] = zeros
method f() -> (x) {
  %x = state_read {state=@sum}
  return %x
}
)"));
  Session other_types(compiled(R"(
state @total : f32[3] = zeros
state @calls : i64[] = zeros
method f() -> (x) {
  %x = state_read {state=@total}
  return %x
}
)"));
  add(session, 1, 1);
  EXPECT_EQ(message_of([&] { session.restore(other_names.snapshot()); }, Code::type_mismatch),
            "the snapshot is one of other states");
  EXPECT_EQ(message_of([&] { session.restore(other_types.snapshot()); }, Code::type_mismatch),
            "state total is f32[3], expected f32[2]");
  EXPECT_EQ(message_of([&] { session.restore(Snapshot()); }, Code::type_mismatch),
            "the snapshot is one of other states");
  EXPECT_EQ(total(session), (Floats{11, 21}));
}

TEST_P(SnapshotTest, ForksOfForksAndSnapshotsAreApart) {
  Session root(compiled(totals));
  add(root, 1, 1);
  Session left = root.fork();
  const Snapshot snapshot = root.snapshot();
  add(root, 1, 1);
  add(left, 10, 10);
  Session leftmost = left.fork();
  add(leftmost, 100, 100);
  EXPECT_EQ(total(root), (Floats{12, 22}));
  EXPECT_EQ(total(left), (Floats{21, 31}));
  EXPECT_EQ(total(leftmost), (Floats{121, 131}));
  leftmost.restore(snapshot);
  EXPECT_EQ(total(leftmost), (Floats{11, 21}));
  EXPECT_EQ(total(root), (Floats{12, 22}));
}

// A state is shared until it is written: forks and snapshots move no bytes to the device.
TEST_P(SnapshotTest, ForksAndSnapshotsUploadNothing) {
  Session session(compiled(totals));
  add(session, 1, 1);
  const int64_t before = session.executable().counters().uploaded_bytes;
  Session fork = session.fork();
  fork.restore(session.snapshot());
  fork.reset();
  Session fresh(session.executable());
  EXPECT_EQ(session.executable().counters().uploaded_bytes, before);
}

INGOT_ON_EVERY_TARGET(SnapshotTest);

}  // namespace
}  // namespace ingot::test
