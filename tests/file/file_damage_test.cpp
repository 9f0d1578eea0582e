// Files that are damaged in one place: each refused, with a sentence that says where and what.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "gen/fields.h"
#include "tests/file/damage.h"
#include "tests/file/programs.h"
#include "tests/support/op_examples.h"

namespace ingot {
namespace {

using test::Damage;
using test::message_of;

Damage small() { return Damage(test::small_program()); }

// ---------------------------------------------------------------------------------------------------------- header

std::string refusal_of(std::string_view text, Code code = Code::bad_file) {
  return message_of([&] { read_program(test::buffer_of(text)); }, code);
}

TEST(DamagedHeader, SaysWhatElseAFileSeemsToBe) {
  const std::pair<std::string, std::string> cases[] = {
      {"\x1f\x8b\x08 and so on", "that of a gzip file: unpack it first"},
      {"PK\x03\x04 and so on", "that of a zip archive, such as .npz and .pt2 files are"},
      {"GGUF\x03", "that of a GGUF file"},
      {"\x93NUMPY\x01", "that of an .npy file"},
      {"\x08\x07\x12", "that of a protobuf message, such as .onnx files are"},
      {std::string("\x10\0\0\0\0\0\0\0{\"a\"", 12), "that of a safetensors file"},
      {"ingot 1\nmethod f", "text"},
      {"\x89INGOT\n\x01\0\0\0", "that of an .ingot file after a transfer in text mode: transfer it as binary"},
      {"\x89INGOT\r\r\n\x01", "that of an .ingot file after a transfer in text mode: transfer it as binary"},
      {"\x09INGOT\r\n", "that of an .ingot file after a transfer in 7 bits: transfer it as binary"},
      {"\xff\xfe\x01\x02\x03\x04\x05\x06\x07", "ff fe 01 02 03 04 05 06"},
      {"\x01", "01"},
  };
  for (const auto& [bytes, seems] : cases) {
    EXPECT_EQ(refusal_of(bytes),
              "the beginning of the file is " + seems + ", expected that of an .ingot file (89 49 4e 47 4f 54 0d 0a)");
  }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(DamagedHeader, NoticesATransferInTextMode) {
  const std::string file = test::text_of(small().bytes());
  for (const std::string& mangled : {replaced(file, "\r\n", "\n"), replaced(file, "\n", "\r\n")}) {
    EXPECT_NE(refusal_of(mangled).find("after a transfer in text mode"), std::string::npos);
  }
}

TEST(DamagedHeader, RefusesEveryPrefix) {
  const std::string file = test::text_of(small().bytes());
  for (size_t size = 0; size < file.size(); ++size) {
    const std::string text = refusal_of(std::string_view(file).substr(0, size));
    const std::string_view subject = size < 64 ? "file size is "
                                     : text.starts_with("FlatBuffer size")
                                         ? "FlatBuffer size is "
                                         : "size of the file from the segments offset on is ";
    ASSERT_TRUE(text.starts_with(subject)) << size << ": " << text;
  }
  EXPECT_EQ(refusal_of(""), "file size is 0, expected at least 64 bytes");
  EXPECT_EQ(refusal_of(file.substr(0, 63)), "file size is 63, expected at least 64 bytes");
  EXPECT_EQ(refusal_of(file + '\0'), "size of the file from the segments offset on is 16388, expected 16387");
}

TEST(DamagedHeader, RefusesANewerReader) {
  Damage damage = small();
  damage.put<uint32_t>(8, 7).put<uint32_t>(12, 5);
  EXPECT_EQ(damage.refusal(Code::version),
            "file needs reader version 5, this build reads up to 1: update Ingot, or re-export with an older version");
}

TEST(DamagedHeader, ReadsANewerFormatThatThisReaderUnderstands) {
  Damage damage = small();
  damage.put<uint32_t>(8, 7).repair();
  EXPECT_EQ(test::difference(damage.read(), test::small_program()), "");
  EXPECT_EQ(file_facts(damage.bytes()).format_version, 7u);
}

struct HeaderCase {
  size_t offset;
  uint64_t value;  // its low half for fields of 4 bytes
  std::string message;
};

TEST(DamagedHeader, ChecksEveryField) {
  const uint64_t file = small().bytes().size();
  const std::string rest = std::to_string(file - 64), segments = std::to_string(file - 16384);
  const HeaderCase cases[] = {
      {8, 0, "minimum reader version is 1, expected 1 to 0 (the format version)"},
      {12, 0, "minimum reader version is 0, expected 1 to 1 (the format version)"},
      {16, 0x04030201, "byte-order mark is 04030201, expected 01020304"},
      {20, 0, "header size is 0, expected 64"},
      {20, 128, "header size is 128, expected 64"},
      {24, 0, "FlatBuffer offset is 0, expected 64"},
      {24, UINT64_MAX, "FlatBuffer offset is 18446744073709551615, expected 64"},
      {32, UINT64_MAX, "FlatBuffer size is 18446744073709551615, expected at most " + rest + " (rest of the file)"},
      {32, UINT64_MAX - 63,
       "FlatBuffer size is 18446744073709551552, expected at most " + rest + " (rest of the file)"},
      {32, 16384, "segments offset is 16384, expected 32768"},
      {40, 0, "segments offset is 0, expected 16384"},
      {40, 64, "segments offset is 64, expected 16384"},
      {40, 16385, "segments offset is 16385, expected 16384"},
      {40, 32768, "segments offset is 32768, expected 16384"},
      {40, UINT64_MAX - 16383, "segments offset is 18446744073709535232, expected 16384"},
      {48, 0, "segments offset of a file without segments is 16384, expected 0"},
      {48, UINT64_MAX,
       "size of the file from the segments offset on is " + segments + ", expected 18446744073709551615"},
      {48, 1, "size of the file from the segments offset on is " + segments + ", expected 1"},
  };
  for (const HeaderCase& c : cases) {
    Damage damage = small();
    c.offset < 24 ? damage.put(c.offset, static_cast<uint32_t>(c.value)) : damage.put(c.offset, c.value);
    EXPECT_EQ(damage.refusal(), c.message);
  }
  Damage without = Damage(Program());
  EXPECT_EQ(without.put<uint64_t>(40, 16384).refusal(),
            "segments offset of a file without segments is 16384, expected 0");
  EXPECT_EQ(without.put<uint64_t>(40, 0).put<uint64_t>(32, 8).refusal(),
            "file size is " + std::to_string(without.bytes().size()) + ", expected 72");
}

TEST(DamagedHeader, ComparesTheChecksum) {
  Damage damage = small();
  const uint64_t right = damage.get<uint64_t>(56);
  damage.put<uint64_t>(56, 1);
  EXPECT_EQ(message_of([&] { damage.read(); }, Code::bad_file),
            fmt::format("checksum is {:016x}, expected 0000000000000001", right));
  // Each byte that it covers.
  for (const size_t at : {size_t{64}, size_t{64 + 7}, 64 + small().get<uint64_t>(32) - 1}) {
    Damage changed = small();
    changed.bytes()[at] ^= std::byte{1};
    EXPECT_TRUE(message_of([&] { changed.read(); }, Code::bad_file).starts_with("checksum is ")) << at;
  }
}

// ------------------------------------------------------------------------------------------------------ FlatBuffer

TEST(DamagedFlatBuffer, ChecksTheRoot) {
  Damage damage = small();
  EXPECT_EQ(damage.put(68, std::array{'I', 'N', 'G', '2'}).refusal(),
            R"(FlatBuffer identifier is "ING2", expected "INGT")");
  EXPECT_EQ(small().put<uint32_t>(64, 0x7fffffff).refusal(), "the root table lies outside of the FlatBuffer");
  EXPECT_EQ(small().put<uint32_t>(64, 0).refusal(), "the root table lies outside of the FlatBuffer");
  EXPECT_EQ(small().put<uint32_t>(64, 7).refusal(), "the root is damaged: it is no valid table");
  const uint64_t metadata = small().get<uint64_t>(32);
  EXPECT_EQ(small().put<uint32_t>(64, static_cast<uint32_t>(metadata - 4)).refusal(),
            "the root is damaged: it is no valid table");
  for (const size_t size : {0, 7}) {
    Damage none{Program()};
    none.bytes().resize(64 + size);
    none.put<uint64_t>(32, size);
    EXPECT_EQ(none.refusal(), fmt::format("FlatBuffer size is {}, expected at least 8", size));
  }
}

using Edit = std::function<void(Damage&)>;

TEST(DamagedFlatBuffer, ChecksEveryIdOfThePools) {
  const std::pair<Edit, std::string> cases[] = {
      {[](Damage& d) { d.overwrite<uint32_t>(d.root().types()->Get(0)->shape()->Get(1), 999); },
       "types[0].shape[1] is 999, expected an id below {dims}"},
      {[](Damage& d) { d.overwrite<uint32_t>(d.root().weights()->Get(1)->type(), 77); },
       "weights[1].type is 77, expected an id below {types}"},
      {[](Damage& d) { d.overwrite<uint32_t>(d.root().states()->Get(0)->type(), 77); },
       "states[0].type is 77, expected an id below {types}"},
      {[](Damage& d) { d.overwrite<uint32_t>(d.root().states()->Get(0)->initial(), 2); },
       "states[0].initial is 2, expected an id below 2"},
      {[](Damage& d) { d.overwrite<uint32_t>(d.last_graph().values()->Get(3), 78, 4); },
       "graphs[6].values[3].type is 78, expected an id below {types}"},
      {[](Damage& d) { d.overwrite<uint8_t>(d.last_graph().values()->Get(3), 3); },
       "graphs[6].values[3].kind is 3, expected a value of ValueKind"},
      {[](Damage& d) { d.overwrite<uint32_t>(d.last_graph().outputs()->Get(1)->value(), 4000); },
       "graphs[6].outputs[1].value is 4000, expected an id below {values}"},
      {[](Damage& d) { d.overwrite<uint32_t>(d.last_graph().ops()->iota()->Get(0)->length(), 50); },
       "graphs[6].nodes[4].length is 50, expected an id below {dims}"},
  };
  for (const auto& [edit, pattern] : cases) {
    Damage damage = small();
    const auto count = [&](const auto* vector) { return std::to_string(vector->size()); };
    std::string message = replaced(pattern, "{dims}", count(damage.root().dims()));
    message = replaced(message, "{types}", count(damage.root().types()));
    message = replaced(message, "{values}", count(damage.last_graph().values()));
    edit(damage);
    EXPECT_EQ(damage.refusal(), message);
  }
}

using enum DimOp;

fbs::DimNode entry(DimOp op, int64_t a, int64_t b = 0) { return fbs::DimNode(static_cast<fbs::DimOp>(op), a, b); }

struct DimCase {
  std::vector<fbs::DimNode> dims;
  std::string message;  // or its beginning
  Code code = Code::bad_file;
};

// S·S / 3, times S and divided again and again.
std::vector<fbs::DimNode> deep_dims() {
  std::vector<fbs::DimNode> dims = {entry(literal, 3), entry(symbol, 0)};
  for (int64_t i = 0; i < kMaxDimDepth + 1; ++i) {
    dims.push_back(entry(mul, 2 * i + 1, 1));
    dims.push_back(entry(floor_div, 2 * i + 2, 0));
  }
  return dims;
}

// S + S² + S³ ...
std::vector<fbs::DimNode> wide_dims() {
  std::vector<fbs::DimNode> dims = {entry(symbol, 0), entry(literal, 0)};
  for (int64_t i = 0; i < 70; ++i) {
    dims.push_back(entry(mul, 2 * i, 0));
    dims.push_back(entry(add, 2 * i + 1, 2 * i));
  }
  return dims;
}

// S², S⁴, S⁸ ...
std::vector<fbs::DimNode> powers() {
  std::vector<fbs::DimNode> dims = {entry(symbol, 0)};
  for (int64_t i = 0; i < 12; ++i) dims.push_back(entry(mul, i, i));
  return dims;
}

TEST(DamagedFlatBuffer, ChecksTheSizes) {
  const DimCase cases[] = {
      {{entry(static_cast<DimOp>(7), 0)}, "dims[0].op is 7, expected a value of DimOp"},
      {{entry(symbol, 1)}, "dims[0].a is 1, expected an id below 1"},
      {{entry(symbol, -1)}, "dims[0].a is -1, expected an id below 1"},
      {{entry(add, 0)}, "dims[0].a is 0, expected an id below 0"},
      {{entry(literal, 1), entry(mul, 0, 1)}, "dims[1].b is 1, expected an id below 1"},
      {{entry(literal, 1), entry(min, 0, -5)}, "dims[1].b is -5, expected an id below 1"},
      {{entry(symbol, 0), entry(literal, 1), entry(add, 0, 1), entry(add, 0, 2)},
       "dims[3].b is a sum of 2 terms, expected a single term"},
      {{entry(symbol, 0), entry(literal, 1), entry(add, 0, 1), entry(mul, 2, 0)},
       "dims[3].a is a sum of 2 terms, expected a single term"},
      {{entry(literal, INT64_MAX), entry(mul, 0, 0)},
       "a size leaves 64 bits: 9223372036854775807 * 9223372036854775807 (at dims[1])",
       Code::limit},
      {{entry(literal, INT64_MAX), entry(add, 0, 0)},
       "a size leaves 64 bits: 9223372036854775807 + 9223372036854775807 (at dims[1])",
       Code::limit},
      {{entry(literal, 7), entry(literal, 0), entry(floor_div, 0, 1)},
       "the divisor is 0, expected at least 1 (at dims[2])",
       Code::invalid_argument},
      {{entry(symbol, 0), entry(floor_div, 0, 0)},
       "the divisor S is at least 0, expected at least 1 (at dims[1])",
       Code::invalid_argument},
      {deep_dims(), "a size is an expression of 17 nested operations, expected at most 16 (at dims[35])", Code::limit},
      {wide_dims(), "a size is an expression of ", Code::limit},
      {powers(), "a size is an expression of ", Code::limit},
  };
  for (const DimCase& c : cases) {
    flatbuffers::FlatBufferBuilder b;
    const auto dims = b.CreateVectorOfStructs(c.dims);
    const auto symbols = b.CreateVector(std::vector{fbs::CreateSymbolDirect(b, "S", 0, 1000)});
    b.Finish(fbs::CreateProgram(b, dims, symbols), fbs::ProgramIdentifier());
    const std::string text = Damage(b).refusal(c.code);
    EXPECT_TRUE(text.starts_with(c.message)) << text << "\n" << c.message;
  }
}

// Each required field of each table that is no op, absent.
TEST(DamagedFlatBuffer, MissesNoRequiredField) {
  const std::pair<Edit, std::string> cases[] = {
      {[](Damage& d) { d.erase_field(d.root().symbols()->Get(1), fbs::Symbol::VT_NAME); },
       "symbols[1]: missing required field name"},
      {[](Damage& d) { d.erase_field(d.root().weights()->Get(0), fbs::Weight::VT_NAME); },
       "weights[0]: missing required field name"},
      {[](Damage& d) { d.erase_field(d.root().weights()->Get(0), fbs::Weight::VT_TYPE); },
       "weights[0]: missing required field type"},
      {[](Damage& d) { d.erase_field(d.root().states()->Get(0), fbs::State::VT_NAME); },
       "states[0]: missing required field name"},
      {[](Damage& d) { d.erase_field(d.root().states()->Get(0), fbs::State::VT_TYPE); },
       "states[0]: missing required field type"},
      {[](Damage& d) { d.erase_field(&d.last_graph(), fbs::Graph::VT_NAME); },
       "graphs[6]: missing required field name"},
      {[](Damage& d) { d.erase_field(&d.last_graph(), fbs::Graph::VT_OPS); }, "graphs[6]: missing required field ops"},
      {[](Damage& d) { d.erase_field(d.last_graph().outputs()->Get(0), fbs::Output::VT_NAME); },
       "graphs[6].outputs[0]: missing required field name"},
      {[](Damage& d) { d.erase_field(d.last_graph().outputs()->Get(0), fbs::Output::VT_VALUE); },
       "graphs[6].outputs[0]: missing required field value"},
      {[](Damage& d) { d.erase_field(d.root().weights()->Get(0), fbs::Weight::VT_BYTES); },
       "weights[0].bytes is 0, expected 24 for f32[3, 2] (at weights[0] \"w\")"},
  };
  for (const auto& [edit, message] : cases) {
    Damage damage = small();
    edit(damage);
    EXPECT_EQ(damage.refusal(), message);
  }
}

// Each field of each op, absent: refused where it is required, else read as the default.
void erase_fields_of_ops(const Program& program) {
  const Graph& graph = program.graphs.back();
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Op& op = graph.nodes[i].op;
    visit_fields(op, [&](const FieldFacts& facts, const auto&) {
      Damage damage(program);
      const auto* ops = reinterpret_cast<const flatbuffers::Table*>(damage.last_graph().ops());
      const auto* tables = ops->GetPointer<const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::Table>>*>(
          static_cast<uint16_t>(fbs::Ops::VT_UNARY + 2 * op.index()));
      damage.erase_field(tables->Get(damage.last_graph().nodes()->Get(i)->op()), facts.offset).repair();
      std::string text = "read";
      try {
        damage.read({.limits = {}, .verify = false});
      } catch (const Error& error) {
        text = error.what();
      }
      EXPECT_EQ(text, facts.required ? fmt::format("graphs[{}].nodes[{}]: missing required field {}",
                                                   program.graphs.size() - 1, i, facts.name)
                                     : "read")
          << mnemonic(op);
    });
  }
}

TEST(DamagedFlatBuffer, MissesNoRequiredFieldOfAnOp) {
  erase_fields_of_ops(test::every_op());
  for (const Program& program : test::op_examples()) erase_fields_of_ops(program);
}

TEST(DamagedFlatBuffer, ChecksNodes) {
  constexpr uint16_t kOpcodes = kOpCount;
  const auto nodes = [](const Damage& d) { return d.last_graph().nodes(); };
  const std::pair<Edit, std::string> cases[] = {
      {[&](Damage& d) { d.overwrite_field(nodes(d)->Get(1), fbs::Node::VT_OPCODE, kOpcodes); },
       fmt::format("graphs[6].nodes[1].opcode is {}, expected an id below {}", kOpcodes, kOpcodes)},
      {[&](Damage& d) { d.overwrite_field(nodes(d)->Get(1), fbs::Node::VT_OPCODE, uint16_t{65535}); },
       fmt::format("graphs[6].nodes[1].opcode is 65535, expected an id below {}", kOpcodes)},
      {[&](Damage& d) { d.overwrite_field(nodes(d)->Get(1), fbs::Node::VT_OPCODE, uint16_t{0}); },
       "graphs[6].nodes[1].op is 0, expected an id below 0"},
      {[&](Damage& d) { d.overwrite_field(nodes(d)->Get(6), fbs::Node::VT_OP, uint32_t{9}); },
       "graphs[6].nodes[6].op is 9, expected an id below 5"},
      {[](Damage& d) { d.overwrite_field(d.last_graph().ops()->random()->Get(0), fbs::Random::VT_FN, uint8_t{3}); },
       "graphs[6].nodes[13].fn is 3, expected a value of RandomFn"},
      {[](Damage& d) { d.overwrite_field(d.last_graph().ops()->take()->Get(0), fbs::Take::VT_MODE, uint8_t{255}); },
       "graphs[6].nodes[15].mode is 255, expected a value of IndexMode"},
      {[](Damage& d) { d.overwrite_field(d.last_graph().ops()->full()->Get(0), fbs::Full::VT_DTYPE, uint8_t{23}); },
       "graphs[6].nodes[0].dtype is 23, expected a value of DType"},
      {[](Damage& d) { d.overwrite(d.last_graph().ops()->full()->Get(0)->value(), uint8_t{4}, 8); },
       "graphs[6].nodes[0].value is 4, expected a value of ScalarKind"},
      {[](Damage& d) { d.overwrite_field(d.root().types()->Get(1), fbs::TensorType::VT_DTYPE, uint8_t{23}); },
       "types[1].dtype is 23, expected a value of DType"},
      {[](Damage& d) { d.overwrite_field(d.root().types()->Get(1), fbs::TensorType::VT_DTYPE, uint8_t{22}); },
       "types[1].scheme is missing, expected one for packed"},
  };
  for (const auto& [edit, message] : cases) {
    Damage damage = small();
    edit(damage);
    EXPECT_EQ(damage.refusal(), message);
  }
}

// ------------------------------------------------------------------------------------------------- offsets within

// An offset, a length and a string that lead out of the FlatBuffer.
TEST(DamagedFlatBuffer, FollowsNoOffsetOutside) {
  const auto address = [](const auto* table, uint16_t field) {
    return reinterpret_cast<const flatbuffers::Table*>(table)->GetAddressOf(field);
  };
  const std::pair<Edit, std::string> cases[] = {
      {[&](Damage& d) { d.overwrite(address(&d.root(), fbs::Program::VT_GRAPHS), uint32_t{0x7ffffff0}); },
       "graphs is damaged: it lies outside of the FlatBuffer"},
      {[&](Damage& d) { d.overwrite(address(&d.root(), fbs::Program::VT_DIMS), uint32_t{0}); },
       "dims is damaged: it lies outside of the FlatBuffer"},
      {[](Damage& d) { d.overwrite(d.root().dims(), uint32_t{0xffffffff}); },
       "dims is damaged: it lies outside of the FlatBuffer"},
      {[](Damage& d) { d.overwrite(d.root().dims(), uint32_t{0x0aaaaaab}); },  // 24 times this wraps to 8
       "dims is damaged: it lies outside of the FlatBuffer"},
      {[](Damage& d) { d.overwrite(d.root().types(), uint32_t{0x40000000}); },
       "types is damaged: it lies outside of the FlatBuffer"},
      {[](Damage& d) { d.overwrite(d.last_graph().nodes(), uint32_t{1'000'000}); },
       "graphs[6].nodes is damaged: it lies outside of the FlatBuffer"},
      {[](Damage& d) { d.overwrite(d.last_graph().values(), uint32_t{1'000'000}); },
       "graphs[6].values is damaged: it lies outside of the FlatBuffer"},
      {[](Damage& d) { d.overwrite(d.root().weights()->Get(0)->name(), uint32_t{1'000'000}); },
       "weights[0].name is damaged: it lies outside of the FlatBuffer"},
      {[](Damage& d) { d.overwrite(d.root().weights()->Get(0)->name(), 'x', 5); },  // in place of the final 0
       "weights[0].name is damaged: it lies outside of the FlatBuffer"},
      {[&](Damage& d) { d.overwrite(d.root().symbols(), uint32_t{0xfffffff0}, 4); },
       "symbols is damaged: it lies outside of the FlatBuffer"},
      {[&](Damage& d) { d.overwrite(d.root().states()->Get(0), int32_t{0x7fffffff}); },
       "states[0] is damaged: it is no valid table"},
      {[&](Damage& d) { d.overwrite(d.last_graph().nodes()->Get(2), int32_t{-0x7fffffff}); },
       "graphs[6].nodes[2] is damaged: it is no valid table"},
  };
  for (const auto& [edit, message] : cases) {
    Damage damage = small();
    edit(damage);
    EXPECT_EQ(damage.refusal(), message);
  }
}

}  // namespace
}  // namespace ingot
