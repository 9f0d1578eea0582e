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

// Contents that no state begins with.
Tensor patterned(const TensorType& type) {
  Tensor tensor = Tensor::allocate(type.dtype, *literal_sizes(type.shape), type.scheme);
  const int bits = type.dtype == DType::bool_ ? 1 : 0x35;
  for (size_t i = 0; i < tensor.mutable_bytes().size(); ++i) {
    tensor.mutable_bytes()[i] = static_cast<std::byte>(i % 2 == 0 ? bits : 0);
  }
  return tensor;
}

// Every dtype, with elements that do not fill their last byte, and packed states in rows and in blocks.
std::vector<std::string> types_of_states() {
  std::vector<std::string> types;
  for (const std::string_view name : EnumNames<DType>::names) {
    if (name != "packed") types.push_back(std::string(name) + "[3]");
  }
  types.insert(types.end(),
               {"i4[8]", "f4e2m1[2, 4]", "i4[0]", "packed<affine, bits=4, group=32>[2, 32]",
                "packed<affine, bits=3, group=32, scale=f32>[2, 64]", "packed<q8_0, bits=8, group=32>[2, 32]"});
  return types;
}

TEST_P(SnapshotTest, StatesOfEveryTypeGoThroughAFile) {
  const TemporaryFolder folder;
  const std::string path = folder / "state.safetensors";
  for (const std::string& type : types_of_states()) {
    const Executable executable = compiled("state @s : " + type + " = zeros\nstate @n : i64[] = zeros\n" + R"(
method f() -> (n) {
  %n = state_read {state=@n}
  return %n
}
)");
    if (type == "f64[3]" && executable.device() != "cpu") continue;
    Session session(executable);
    const Tensor contents = patterned(executable.program().states[0].type);
    session.set_state("s", contents);
    session.snapshot().save(path);
    session.reset();
    session.restore(Snapshot::load(path, executable));
    EXPECT_EQ(text_of(session.state("s").bytes()), text_of(contents.bytes())) << type;
    EXPECT_EQ(session.state("s").type(), contents.type()) << type;
  }
}

TEST_P(SnapshotTest, RefusesBytesOfAnotherType) {
  const TemporaryFolder folder;
  const std::string path = folder / "state.safetensors";
  const auto load_error = [&](const std::string& state, const Tensor& contents, const char* said, Code code) {
    const Executable executable = compiled("state @s : " + state + R"( = zeros
method f() -> (s) {
  %s = state_read {state=@s}
  return %s
}
)");
    write_safetensors(path, std::vector<NamedTensor>{{"s", contents}}, {{"type of state s", said}});
    std::string message = message_of([&] { Snapshot::load(path, executable); }, code);
    if (const size_t at = message.find(path); at != message.npos) message.replace(at, path.size(), "FILE");
    return message;
  };
  const Tensor four = Tensor::of<uint8_t>({4}, {1, 2, 3, 4});
  EXPECT_EQ(load_error("i4[8]", four, "i4[8]", Code::bad_file), "no error");
  EXPECT_EQ(load_error("i4[8]", four, "u4[8]", Code::type_mismatch), "state s of FILE is u4[8], expected i4[8]");
  EXPECT_EQ(load_error("i4[10]", four, "i4[10]", Code::bad_file),
            "the contents of state s of FILE is u8[4], expected u8[5] (i4[10] as its metadata says)");
  EXPECT_EQ(load_error("i4[8]", Tensor::of<int8_t>({4}, {1, 2, 3, 4}), "i4[8]", Code::bad_file),
            "the contents of state s of FILE is i8[4], expected u8[4] (i4[8] as its metadata says)");
  EXPECT_EQ(load_error("bool[4]", four, "bool[4]", Code::bad_file),
            "state s of FILE is bool[4] as its metadata says, which is not stored as bytes");
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
  EXPECT_NE(message_of([&] { Snapshot::load(path, executable); }, Code::bad_file).find(path), std::string::npos);
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
