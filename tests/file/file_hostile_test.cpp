// Files made to harm: small ones that unfold to something large, and every byte of one changed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>

#include "program/builder.h"
#include "program/text.h"
#include "tests/file/allocations.h"
#include "tests/file/damage.h"
#include "tests/file/programs.h"
#include "tests/file/run_within_limits.h"

namespace ingot::test {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

// ----------------------------------------------------------------------------------------------------------- bombs

template <class T>
using Repeated = std::vector<Offset<T>>;

Offset<fbs::Graph> graph_of(FlatBufferBuilder& b, const std::vector<fbs::Value>& values,
                            const Repeated<fbs::Node>& nodes = {}, Offset<fbs::Ops> ops = 0,
                            const Repeated<flatbuffers::String>& names = {}) {
  const auto name = b.CreateString("f");
  const auto value_vector = b.CreateVectorOfStructs(values);
  const auto name_vector = names.empty() ? 0 : b.CreateVector(names);
  const auto node_vector = b.CreateVector(nodes);
  return fbs::CreateGraph(b, name, true, value_vector, name_vector, 0, node_vector, ops);
}

struct Parts {
  std::vector<fbs::DimNode> dims;
  Repeated<fbs::Symbol> symbols;
  Repeated<fbs::TensorType> types;
  Repeated<fbs::Graph> graphs;
};

Damage file_of(FlatBufferBuilder& b, const Parts& parts) {
  const auto dims = b.CreateVectorOfStructs(parts.dims);
  const auto symbols = b.CreateVector(parts.symbols);
  const auto types = b.CreateVector(parts.types);
  const auto graphs = b.CreateVector(parts.graphs);
  b.Finish(fbs::CreateProgram(b, dims, symbols, types, 0, 0, graphs), fbs::ProgramIdentifier());
  return Damage(b);
}

constexpr uint32_t kMany = 50'000;

Offset<fbs::TensorType> scalar_type(FlatBufferBuilder& b) { return fbs::CreateTensorType(b, fbs::DType_f32); }

// 50,000 values, all of one name of 50,000 bytes.
Damage names_bomb() {
  FlatBufferBuilder b;
  Parts parts;
  parts.types = {scalar_type(b)};
  const auto name = b.CreateString(std::string(kMany, 'n'));
  std::vector<fbs::Value> inputs;
  for (uint32_t i = 0; i < kMany; ++i) inputs.emplace_back(fbs::ValueKind_input, 0, i);
  parts.graphs = {graph_of(b, inputs, {}, 0, Repeated<flatbuffers::String>(kMany, name))};
  return file_of(b, parts);
}

// 50,000 values, all of one type of 64 axes.
Damage types_bomb() {
  FlatBufferBuilder b;
  Parts parts;
  parts.dims = {fbs::DimNode(fbs::DimOp_literal, 1, 0)};
  const std::vector<fbs::DimRef> shape(64, fbs::DimRef(0));
  parts.types = {fbs::CreateTensorType(b, fbs::DType_f32, b.CreateVectorOfStructs(shape))};
  std::vector<fbs::Value> inputs;
  for (uint32_t i = 0; i < kMany; ++i) inputs.emplace_back(fbs::ValueKind_input, 0, i);
  parts.graphs = {graph_of(b, inputs)};
  return file_of(b, parts);
}

// One table as 50,000 types.
Damage shared_types() {
  FlatBufferBuilder b;
  Parts parts;
  parts.types = Repeated<fbs::TensorType>(kMany, scalar_type(b));
  return file_of(b, parts);
}

// One table as 50,000 nodes, each of one op with a list of 50,000 operands.
Damage shared_nodes() {
  FlatBufferBuilder b;
  Parts parts;
  parts.types = {scalar_type(b)};
  const std::vector<fbs::ValueRef> operands(kMany, fbs::ValueRef(0));
  const auto concatenate = fbs::CreateConcatenate(b, b.CreateVectorOfStructs(operands));
  const auto ops_vector = b.CreateVector(Repeated<fbs::Concatenate>{concatenate});
  fbs::OpsBuilder ops(b);
  ops.add_concatenate(ops_vector);
  const auto all_ops = ops.Finish();
  const auto node = fbs::CreateNode(b, static_cast<uint16_t>(Opcode::concatenate), 0);
  parts.graphs = {graph_of(b, {fbs::Value(fbs::ValueKind_input, 0, 0)}, Repeated<fbs::Node>(kMany, node), all_ops)};
  return file_of(b, parts);
}

// One graph of 1000 values as 1000 graphs.
Damage shared_graphs() {
  FlatBufferBuilder b;
  Parts parts;
  parts.types = {scalar_type(b)};
  std::vector<fbs::Value> inputs;
  for (uint32_t i = 0; i < 1000; ++i) inputs.emplace_back(fbs::ValueKind_input, 0, i);
  parts.graphs = Repeated<fbs::Graph>(1000, graph_of(b, inputs));
  return file_of(b, parts);
}

// Sums of 60 terms of many atoms, again and again.
Damage sizes_bomb() {
  FlatBufferBuilder b;
  Parts parts;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H"})
    parts.symbols.push_back(fbs::CreateSymbolDirect(b, name, 0, 9));
  for (int64_t i = 0; i < 8; ++i) parts.dims.emplace_back(fbs::DimOp_symbol, i, 0);
  for (int64_t i = 0; i < 60; ++i) parts.dims.emplace_back(fbs::DimOp_mul, i % 8, i / 8);
  int64_t sum = 0;
  for (int64_t i = 0; i < kMany; ++i) {
    const auto next = static_cast<int64_t>(parts.dims.size());
    parts.dims.emplace_back(fbs::DimOp_add, sum, 8 + i % 60);
    sum = next;
  }
  return file_of(b, parts);
}

// Minima of maxima of sums ...
Damage nested_sizes() {
  FlatBufferBuilder b;
  Parts parts;
  parts.symbols = {fbs::CreateSymbolDirect(b, "A"), fbs::CreateSymbolDirect(b, "B"), fbs::CreateSymbolDirect(b, "C")};
  for (int64_t i = 0; i < 3; ++i) parts.dims.emplace_back(fbs::DimOp_symbol, i, 0);
  for (int64_t last = 2; last < 5000; last += 3) {
    parts.dims.emplace_back(fbs::DimOp_min, 0, last);
    parts.dims.emplace_back(fbs::DimOp_max, 1, last + 1);
    parts.dims.emplace_back(fbs::DimOp_add, last + 2, 2);
  }
  return file_of(b, parts);
}

struct Bomb {
  Damage (*make)();
  std::string message;  // {} is the size of the FlatBuffer, {} 64 times that and a MiB
  Code code;
};

const std::string unfolds = "the FlatBuffer of {} bytes unfolds to more than {}";

const Bomb bombs[] = {
    {names_bomb, unfolds, Code::limit},
    {types_bomb, unfolds, Code::limit},
    {shared_types, "types[25008] is damaged: it is no valid table", Code::bad_file},
    {shared_nodes, unfolds, Code::limit},
    {shared_graphs, unfolds, Code::limit},
    {sizes_bomb, unfolds, Code::limit},
    {nested_sizes, "a size is an expression of 17 nested operations, expected at most 16 (at dims[27])", Code::limit},
};

TEST(HostileFile, CostsNoMoreThanItsSizeAllows) {
  for (const Bomb& bomb : bombs) {
    Damage damage = bomb.make();
    const uint64_t metadata = damage.get<uint64_t>(32), most = 64 * metadata + (1 << 20);
    const Buffer file = Buffer::copy_of(damage.repair().bytes());
    const size_t before = allocated();
    take_peak();
    const std::string text = message_of([&] { read_program(file); }, bomb.code);
    const size_t peak = take_peak() - before;
    EXPECT_EQ(text, fmt::format(fmt::runtime(bomb.message), metadata, most));
    EXPECT_LE(peak, most * 3 / 2) << text;  // what the allocator adds
  }
}

// The same for a program that means no harm.
TEST(HostileFile, BudgetIsAmpleForAProgram) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  for (int i = 0; i < 20'000; ++i) f.input(std::to_string(i), DType::f32, Shape(64, 1));
  const Program program = p.build();
  EXPECT_EQ(difference(Damage(program).read(), program), "");
}

// ---------------------------------------------------------------------------------------------------- changed bytes

constexpr std::byte kBytes[] = {std::byte{0},    std::byte{1},    std::byte{2},   std::byte{0x7f},
                                std::byte{0x80}, std::byte{0xfe}, std::byte{0xff}};

std::set<std::byte> replacements(std::byte old) {
  std::set<std::byte> all(std::begin(kBytes), std::end(kBytes));
  for (const int add : {1, -1, 4, -4}) all.insert(static_cast<std::byte>(std::to_integer<int>(old) + add));
  for (int bit = 0; bit < 8; ++bit) all.insert(old ^ std::byte(1 << bit));
  all.erase(old);
  return all;
}

struct Tally {
  int refused = 0, loaded = 0, ran = 0;
};

// Nothing but an Error may leave reading and running.
void try_file(std::span<const std::byte> bytes, Tally& tally) {
  std::optional<Program> program;
  try {
    program = read_program(Buffer::copy_of(bytes), {}, {.limits = small_limits()});
  } catch (const Error&) {
    ++tally.refused;
    return;
  }
  ++tally.loaded;
  tally.ran += run_within_limits(*program) > 0;
}

// Changes every byte of the FlatBuffer, its header, and the first and last few of the segments.
Tally try_every_byte(const Program& program) {
  Damage damage(program);
  const std::vector<std::byte> original = damage.bytes();
  const size_t end = 64 + damage.get<uint64_t>(32), segments = damage.get<uint64_t>(48);
  Tally tally;
  for (size_t i = 0; i < original.size(); ++i) {
    if (i >= end && i < original.size() - segments) continue;  // padding
    if (i >= end + 64 && i < original.size() - 3) continue;
    for (const std::byte changed : replacements(original[i])) {
      damage.bytes()[i] = changed;
      damage.repair();
      try_file(damage.bytes(), tally);
    }
    damage.bytes()[i] = original[i];
  }
  return tally;
}

TEST(HostileFile, EveryChangedByteIsRefusedOrRuns) {
  const Tally tally = try_every_byte(small_program());
  EXPECT_GT(tally.refused, 20'000);
  EXPECT_GT(tally.ran, 1000);
}

// Whichever weights a change makes zeros or takes the contents of, a call runs or says which are missing.
TEST(HostileFile, EveryChangedByteOfDeclaredWeightsIsRefusedOrRuns) {
  const Tally tally = try_every_byte(parse(R"(ingot 1
weight @missing : f32[3]
weight @zeros : f32[3] = zeros
weight @large : f32[64, 64] = zeros
state @s : f32[3] = @zeros
graph g(%x: f32[3]) -> (y) {
  %y = add %x, @missing
  return %y
}
method f(%x: f32[3]) -> (y) {
  %z = add %x, @zeros
  %y = call [%z] {graph=@g}
  return %y
}
method h(%x: f32[3]) -> (y, l) {
  %y = add %x, @zeros
  return %y, @large
}
)"));
  EXPECT_GT(tally.refused, 1000);
  EXPECT_GT(tally.ran, 1000);
}

// Without the repair nothing that the checksum covers gets through.
TEST(HostileFile, EveryChangedByteIsNoticed) {
  std::vector<std::byte> bytes = write_program(small_program());
  const size_t end = 64 + file_facts(bytes).metadata_bytes;
  for (size_t i = 0; i < end; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      bytes[i] ^= std::byte(1 << bit);
      EXPECT_THROW(read_program(Buffer::copy_of(bytes)), Error) << i;
      bytes[i] ^= std::byte(1 << bit);
    }
  }
}

}  // namespace
}  // namespace ingot::test
