// What a .ingot file holds: everything of a program, in the layout that program/file.h states.
#include "program/file.h"

#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "gen/fields.h"
#include "program/builder.h"
#include "program/io/atomic_write.h"
#include "program/io/mapped_file.h"
#include "tests/file/mapping.h"
#include "tests/file/programs.h"
#include "tests/program/io_support.h"
#include "tests/support/fields.h"
#include "tests/support/op_examples.h"
#include "tests/support/random_program.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

Program through_memory(const Program& program) { return read_program(Buffer::copy_of(write_program(program))); }

template <class T>
T at(std::span<const std::byte> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.subspan(offset, sizeof value).data(), sizeof value);
  return value;
}

// ------------------------------------------------------------------------------------------------------ round trip

std::vector<Program> every_op_programs() {
  std::vector<Program> programs = op_examples();
  programs.push_back(every_op());
  return programs;
}

TEST(File, KeepsEveryOp) {
  for (const Program& program : every_op_programs()) EXPECT_EQ(difference(program, through_memory(program)), "");
}

// The programs above are worth as much as they cover: each op, each of its fields at another value than the default.
TEST(File, ExampleCoversEveryField) {
  std::set<std::string> fields, changed;
  const auto name = [](size_t opcode, std::string_view field) {
    return std::string(kOpFacts[opcode].mnemonic).append(".").append(field);
  };
  for (size_t i = 0; i < kOpCount; ++i) {
    const Op op = make_op(static_cast<Opcode>(i));
    visit_fields(op, [&](const FieldFacts& facts, const auto&) { fields.insert(name(i, facts.name)); });
  }
  const auto look_at = [&](const Op& op) {
    visit_with_defaults(op, [&]<class F>(const FieldFacts& facts, const F& field, const F& standard) {
      // A required operand has no default, and the first value is as good as any.
      if (std::is_same_v<F, Ref> || field != standard) changed.insert(name(op.index(), facts.name));
    });
  };
  for (const Program& program : every_op_programs()) {
    for (const Graph& graph : program.graphs) {
      for (const Node& node : graph.nodes) look_at(node.op);
    }
  }
  for (const std::string& field : fields) {
    EXPECT_TRUE(changed.contains(field)) << "tests/data/ops/<family>.txt has no other value of " << field;
  }
}

TEST(File, KeepsEveryDType) {
  const Program program = every_dtype();
  EXPECT_EQ(difference(program, through_memory(program)), "");
}

TEST(File, KeepsRandomPrograms) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Program program = random_program(seed);
    EXPECT_EQ(difference(program, through_memory(program)), "") << "seed " << seed;
  }
}

TEST(File, KeepsAProgramOfNothing) {
  const Program empty;
  EXPECT_EQ(difference(empty, through_memory(empty)), "");
}

TEST(File, KeepsNamesOfAnyBytes) {
  ProgramBuilder p;
  const std::string odd("\0 \xff\xc3\n\"%", 8), long_name(4096, 'n');
  const Symbol s = p.symbol("s");
  p.weight(odd, Tensor());
  p.state(long_name, {DType::f32, {}, {}});
  GraphBuilder& f = p.method(odd + odd);
  f.set_source({.op = "Überop", .file = odd});
  f.output(odd, f.exp(f.input("\xf0\x9f\xa6\x86", DType::f32, {s})).named(odd));
  const Program program = p.build();
  EXPECT_EQ(difference(program, through_memory(program)), "");
}

TEST(File, KeepsSizesOfEveryForm) {
  ProgramBuilder p;
  const Symbol a = p.symbol("A", 1, 1000), b = p.symbol("B", 2);
  const Dim deep = floor_div(Dim(a) * b + 3, max(Dim(a) - 5, 1));
  GraphBuilder& f = p.method("f");
  f.input("bind", DType::u8, {a, b});
  const Dim sizes[] = {0,
                       (int64_t{1} << 62),
                       Dim(a) * a * b * 3 + b + 1,
                       deep,
                       min(deep, min(a, b)),
                       max(deep * 2, a),
                       ceil_div(a, 7),
                       mod(b, a),
                       Dim(a) * 4 - a + deep * deep};
  for (const Dim& size : sizes) f.input("i" + to_string(size), DType::bool_, {size, 0});
  const Program program = p.build();
  EXPECT_EQ(difference(program, through_memory(program)), "");
}

TEST(File, SameProgramGivesSameBytes) {
  for (const auto& make : {every_op, every_dtype, small_program}) {
    const std::vector<std::byte> bytes = write_program(make());
    EXPECT_EQ(bytes, write_program(make()));
    EXPECT_EQ(bytes, write_program(read_program(Buffer::copy_of(bytes))));
    const TemporaryFolder folder;
    save_program(make(), folder / "p.ingot");
    EXPECT_EQ(contents(folder / "p.ingot"), text_of(bytes));
  }
}

// --------------------------------------------------------------------------------------------------------- layout

TEST(File, HasTheStatedHeader) {
  const std::vector<std::byte> file = write_program(every_dtype());
  EXPECT_EQ(text_of(std::span(file).first(8)), "\x89INGOT\r\n");
  EXPECT_EQ(at<uint32_t>(file, 8), 1u);
  EXPECT_EQ(at<uint32_t>(file, 12), 1u);
  EXPECT_EQ(text_of(std::span(file).subspan(16, 4)), "\4\3\2\1");
  EXPECT_EQ(at<uint32_t>(file, 20), 64u);
  EXPECT_EQ(at<uint64_t>(file, 24), 64u);
  const uint64_t metadata = at<uint64_t>(file, 32), segments = at<uint64_t>(file, 40);
  EXPECT_EQ(segments, (64 + metadata + 16383) / 16384 * 16384);
  EXPECT_EQ(at<uint64_t>(file, 48), file.size() - segments);
  for (size_t i = 64 + metadata; i < segments; ++i) ASSERT_EQ(file[i], std::byte{0}) << i;
  std::string summed = text_of(std::span(file).first(64 + metadata));
  std::memset(summed.data() + 56, 0, 8);
  EXPECT_EQ(at<uint64_t>(file, 56), XXH3_64bits(summed.data(), summed.size()));
}

TEST(File, WithoutWeightsEndsBehindTheFlatBuffer) {
  ProgramBuilder p;
  GraphBuilder& f = p.method("f");
  f.output("y", f.input("x", DType::f32, {}));
  f.output("none", f.weight(p.weight("none", Tensor::allocate(DType::f32, {0, 7}))));
  const std::vector<std::byte> file = write_program(p.build());
  EXPECT_EQ(at<uint64_t>(file, 32), file.size() - 64);
  EXPECT_EQ(at<uint64_t>(file, 40), 0u);
  EXPECT_EQ(at<uint64_t>(file, 48), 0u);
}

// A file that the first version wrote: what was saved once stays readable.
TEST(File, ReadsWhatVersionOneWrote) {
  const fs::path path = fs::path(source_dir) / "tests/data/file/version1.ingot";
  EXPECT_EQ(difference(load_program(path), small_program()), "");
}

// What FlatBuffers' own tool reads from the file, by the schema.
TEST(File, FlatcReadsTheFlatBuffer) {
  const TemporaryFolder folder;
  const std::vector<std::byte> file = write_program(small_program());
  AtomicFile metadata(folder / "p.bin");
  metadata.append(std::span(file).subspan(64, at<uint64_t>(file, 32)));
  metadata.commit();
  const std::string command = std::string(flatc) + " --json --strict-json --defaults-json -o " +
                              folder.path().string() + " " + source_dir + "/schema/ingot.fbs -- " +
                              (folder / "p.bin").string();
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto json = nlohmann::json::parse(contents(folder / "p.json"));
  EXPECT_EQ(json["symbols"][0], (nlohmann::json{{"name", "S"}, {"min", 1}, {"max", 8}}));
  EXPECT_EQ(json["weights"][0]["name"], "w");
  EXPECT_EQ(json["weights"][0]["bytes"], 24);
  EXPECT_EQ(json["weights"][1]["offset"], 16384);
  EXPECT_EQ(json["states"][0]["initial"]["id"], 0);
  const auto& forward = json["graphs"].back();
  EXPECT_EQ(forward["name"], "forward");
  EXPECT_EQ(forward["exported"], true);
  EXPECT_EQ(forward["ops"]["while_"][0]["max_trips"], 5);
  EXPECT_EQ(forward["ops"]["softmax"][0]["axis"], 0);
  EXPECT_EQ(forward["ops"]["random"][0]["fn"], "uniform");
  const auto& shape = json["types"][forward["values"][0]["type"].get<size_t>()]["shape"];
  EXPECT_EQ(json["dims"][shape[0]["id"].get<size_t>()], (nlohmann::json{{"op", "symbol"}, {"a", 0}, {"b", 0}}));
  EXPECT_EQ(json["dims"][shape[1]["id"].get<size_t>()], (nlohmann::json{{"op", "literal"}, {"a", 3}, {"b", 0}}));
}

// -------------------------------------------------------------------------------------------------------- weights

TEST(File, MapsWeights) {
  const TemporaryFolder folder;
  const fs::path path = folder / "p.ingot";
  save_program(every_dtype(), path);
  const Program program = load_program(path);
  const auto [begin, end] = mapping_of(path);
  ASSERT_GT(end, begin);
  size_t mapped = 0;
  for (const Weight& weight : program.weights) {
    if (weight.tensor->bytes().empty()) continue;
    const auto data = reinterpret_cast<uintptr_t>(weight.tensor->bytes().data());
    EXPECT_GE(data, begin);
    EXPECT_LE(data + weight.tensor->bytes().size(), end);
    EXPECT_EQ((data - begin) % 16384, 0u) << weight.name;
    ++mapped;
  }
  // Two sizes that are not 0 of each dtype but packed, and of five schemes.
  EXPECT_EQ(mapped, 2 * (EnumNames<DType>::names.size() - 1 + 5));
  fs::remove(path);
  EXPECT_EQ(difference(program, every_dtype()), "");  // the mapping outlives the name
}

TEST(File, ReadsFromBytesAtAnyAddress) {
  const std::string file = text_of(write_program(every_dtype()));
  for (const size_t shift : {0, 1, 8, 63}) {
    const Program program = read_program(buffer_of(file, shift));
    EXPECT_EQ(difference(program, every_dtype()), "");
    for (const Weight& weight : program.weights) {
      EXPECT_EQ(reinterpret_cast<uintptr_t>(weight.tensor->bytes().data()) % 64, 0u);
    }
  }
}

uint64_t segment_bytes(const Program& program) { return file_facts(write_program(program)).segment_bytes; }

Program with_weights(const std::vector<Tensor>& tensors) {
  ProgramBuilder p;
  for (const Tensor& tensor : tensors) p.weight("w" + std::to_string(p.program().weights.size()), tensor);
  return p.build();
}

TEST(File, StoresEqualWeightsOnce) {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor again = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(segment_bytes(with_weights({a})), 24u);
  EXPECT_EQ(segment_bytes(with_weights({a, again, a})), 24u);
  const Program program = through_memory(with_weights({a, again}));
  EXPECT_EQ(program.weights[0].tensor->bytes().data(), program.weights[1].tensor->bytes().data());
}

TEST(File, KeepsEqualBytesOfAnotherTypeApart) {
  const Tensor a = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor shape(DType::f32, {3, 2}, a.buffer()), dtype(DType::i32, {2, 3}, a.buffer());
  Tensor last = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6.5});
  for (const Tensor& other : {shape, dtype, last}) {
    const Program program = with_weights({a, other});
    EXPECT_EQ(segment_bytes(program), 16384 + 24u);
    EXPECT_NE(program.weights[0].hash, program.weights[1].hash);
    EXPECT_EQ(difference(program, through_memory(program)), "");
  }
}

// Two packed tensors of 16 bytes, whose schemes alone differ.
TEST(File, KeepsEqualBytesOfAnotherSchemeApart) {
  const Tensor a = Tensor::of<uint8_t>({10}, std::vector<uint8_t>(10, 7));
  const Tensor f16(DType::packed, {16}, a.buffer(), QuantScheme{QuantMethod::symmetric, 4, 16, DType::f16});
  const Tensor bf16(DType::packed, {16}, a.buffer(), QuantScheme{QuantMethod::symmetric, 4, 16, DType::bf16});
  EXPECT_EQ(segment_bytes(with_weights({f16, bf16})), 16384 + 10u);
}

// A hash that lies makes neither one weight of two, nor two that overlap.
TEST(File, DoesNotTrustHashesWhenSaving) {
  Program program = with_weights({Tensor::of<float>({1}, {1}), Tensor::of<float>({1}, {2})});
  program.weights[1].hash = program.weights[0].hash;
  EXPECT_EQ(difference(program, through_memory(program)), "");
  program.weights[1] = program.weights[0];
  program.weights[1].name = "again";
  program.weights[1].hash = {};
  EXPECT_EQ(difference(program, through_memory(program)), "");
}

TEST(File, ChecksHashes) {
  Program program = every_dtype();
  check_hashes(program);
  check_hashes(through_memory(program));
  std::vector<std::byte> file = write_program(small_program());
  file.back() = std::byte{0};  // of the mask 1 0 1
  const Program changed = read_program(Buffer::copy_of(file));
  EXPECT_EQ(message_of([&] { check_hashes(changed); }, Code::bad_file),
            "hash of weights[1] \"mask\" is " + to_string(content_hash(*changed.weights[1].tensor)) + ", expected " +
                to_string(small_program().weights[1].hash));
}

// ---------------------------------------------------------------------------------------------------------- facts

TEST(File, FactsAreThoseOfTheHeader) {
  const TemporaryFolder folder;
  save_program(small_program(), folder / "p.ingot");
  const std::string file = contents(folder / "p.ingot");
  const auto bytes = std::as_bytes(std::span(file));
  for (const FileFacts& facts : {file_facts(folder / "p.ingot"), file_facts(bytes)}) {
    EXPECT_EQ(facts.format_version, 1u);
    EXPECT_EQ(facts.minimum_reader, 1u);
    EXPECT_EQ(facts.file_bytes, file.size());
    EXPECT_EQ(facts.metadata_bytes, at<uint64_t>(bytes, 32));
    EXPECT_EQ(facts.segment_bytes, 16384 + 3u);
    EXPECT_EQ(facts.checksum, at<uint64_t>(bytes, 56));
  }
  EXPECT_EQ(message_of([&] { file_facts(folder / "none"); }, Code::not_found),
            (folder / "none").string() + ": cannot open " + (folder / "none").string() + ": No such file or directory");
}

TEST(File, KnowsItsMagic) {
  const std::vector<std::byte> file = write_program({});
  EXPECT_TRUE(is_program_file(file));
  EXPECT_TRUE(is_program_file(std::span(file).first(8)));
  EXPECT_FALSE(is_program_file(std::span(file).first(7)));
  EXPECT_FALSE(is_program_file({}));
  EXPECT_FALSE(is_program_file(std::as_bytes(std::span("ingot 1\n"))));
}

// ----------------------------------------------------------------------------------------------- verify and limits

TEST(File, VerifiesUnlessToldNotTo) {
  Program program = small_program();
  program.graphs.back().values.back().type.dtype = DType::f64;
  const Buffer file = Buffer::copy_of(write_program(program));
  EXPECT_EQ(message_of([&] { read_program(file); }, Code::type_mismatch),
            "[nonzero] the stored type of result 0 is f64[2, N], expected i64[2, N] (at forward: nodes[19])");
  EXPECT_EQ(difference(read_program(file, {}, {.limits = {}, .verify = false}), program), "");
}

TEST(File, RefusesToWriteAnUndeclaredSymbol) {
  Program program = small_program();
  program.symbols.erase(program.symbols.begin());
  EXPECT_EQ(message_of([&] { write_program(program); }, Code::invalid_argument),
            "a size uses the symbol \"S\", which the program does not declare");
}

TEST(File, RefusesToWriteWhatItCouldNotRead) {
  Program program = every_op();
  for (Node& node : program.graphs.back().nodes) {
    if (auto* op = node.op.get_if<op::Quantize>()) op->scheme.group = int64_t{1} << 32;
  }
  EXPECT_EQ(message_of([&] { write_program(program); }, Code::limit),
            "group of a quantisation scheme is 4294967296, expected less than 2^32");
}

}  // namespace
}  // namespace ingot::test
