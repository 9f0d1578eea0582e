// Files whose FlatBuffer is damaged in one place: each refused, with a sentence that says where and what.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>

#include "gen/fields.h"
#include "tests/file/damage.h"
#include "tests/file/programs.h"
#include "tests/support/op_examples.h"

namespace ingot::test {
namespace {

Damage small() { return Damage(small_program()); }

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

struct Edit {
  std::function<void(Damage&)> damage;
  std::string refusal;  // where {dims}, {types} and {values} are how many there are
};

void expect_refused(std::initializer_list<Edit> edits) {
  for (const Edit& edit : edits) {
    Damage damage = small();
    const std::string refusal = fmt::format(fmt::runtime(edit.refusal), fmt::arg("dims", damage.root().dims()->size()),
                                            fmt::arg("types", damage.root().types()->size()),
                                            fmt::arg("values", damage.last_graph().values()->size()));
    edit.damage(damage);
    EXPECT_EQ(damage.refusal(), refusal);
  }
}

TEST(DamagedFlatBuffer, ChecksEveryIdOfThePools) {
  expect_refused({
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
  });
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
  expect_refused({
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
  });
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
  erase_fields_of_ops(every_op());
  for (const Program& program : op_examples()) erase_fields_of_ops(program);
}

TEST(DamagedFlatBuffer, ChecksNodes) {
  constexpr uint16_t kOpcodes = kOpCount;
  const auto nodes = [](const Damage& d) { return d.last_graph().nodes(); };
  expect_refused({
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
  });
}

// ------------------------------------------------------------------------------------------------- offsets within

// An offset, a length and a string that lead out of the FlatBuffer.
TEST(DamagedFlatBuffer, FollowsNoOffsetOutside) {
  const auto address = [](const auto* table, uint16_t field) {
    return reinterpret_cast<const flatbuffers::Table*>(table)->GetAddressOf(field);
  };
  expect_refused({
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
  });
}

}  // namespace
}  // namespace ingot::test
