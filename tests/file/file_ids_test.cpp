// Files whose parts do not fit each other: ids, results, weights and limits.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "program/builder.h"
#include "tests/file/damage.h"
#include "tests/file/programs.h"

namespace ingot::test {
namespace {

// -------------------------------------------------------------------------------------------- ids of a whole program

// The first node of the last graph with such an op.
template <class O>
uint32_t find(const Program& program) {
  const auto& nodes = program.graphs.back().nodes;
  const auto found =
      std::ranges::find_if(nodes, [](const Node& node) { return node.op.template get_if<O>() != nullptr; });
  return static_cast<uint32_t>(found - nodes.begin());
}

// The refusal of `every_op` with one op of its last graph changed.
template <class O>
std::string with_op(const std::function<void(O&)>& edit, Code code = Code::bad_file) {
  Program program = every_op();
  const uint32_t node = find<O>(program);
  edit(*program.graphs.back().nodes[node].op.template get_if<O>());
  const std::string text = Damage(program).refusal(code), place = fmt::format("graphs[6].nodes[{}].", node);
  return text.starts_with(place) ? text.substr(place.size()) : text;
}

TEST(FileIds, OfOperandsGraphsStatesAndSymbols) {
  const size_t values = every_op().graphs.back().values.size();
  const std::string value_wanted = fmt::format(" is {}, expected an id below {}", values, values);
  const Ref beyond{static_cast<uint32_t>(values)};
  EXPECT_EQ(with_op<op::Unary>([&](auto& op) { op.x = beyond; }), "x" + value_wanted);
  EXPECT_EQ(with_op<op::Select>([&](auto& op) { op.condition = beyond; }), "condition" + value_wanted);
  EXPECT_EQ(with_op<op::LayerNorm>([&](auto& op) { op.bias = beyond; }), "bias" + value_wanted);
  EXPECT_EQ(with_op<op::Concatenate>([&](auto& op) { op.operands[1] = beyond; }), "operands[1]" + value_wanted);
  EXPECT_EQ(with_op<op::StateUpdate>([&](auto& op) { op.starts[1] = {UINT32_MAX}; }),
            fmt::format("starts[1] is 4294967295, expected an id below {}", values));
  EXPECT_EQ(with_op<op::If>([](auto& op) { op.on_false = {7}; }), "on_false is 7, expected an id below 7");
  EXPECT_EQ(with_op<op::While>([](auto& op) { op.body = {7}; }), "body is 7, expected an id below 7");
  EXPECT_EQ(with_op<op::Scan>([](auto& op) { op.body = {UINT32_MAX}; }), "body is 4294967295, expected an id below 7");
  EXPECT_EQ(with_op<op::Call>([](auto& op) { op.graph = {8}; }), "graph is 8, expected an id below 7");
  EXPECT_EQ(with_op<op::StateRead>([](auto& op) { op.state = {2}; }), "state is 2, expected an id below 2");
  EXPECT_EQ(with_op<op::Nonzero>([](auto& op) { op.count = {3}; }), "count is 3, expected an id below 3");
}

TEST(FileIds, OfEnumsAndAttributes) {
  EXPECT_EQ(with_op<op::Unary>([](auto& op) { op.fn = static_cast<UnaryFn>(255); }),
            "fn is 255, expected a value of UnaryFn");
  EXPECT_EQ(with_op<op::Pad>([](auto& op) { op.value->kind = static_cast<ScalarKind>(4); }),
            "value is 4, expected a value of ScalarKind");
  EXPECT_EQ(with_op<op::Reduce>([](auto& op) { op.dtype = static_cast<DType>(200); }),
            "dtype is 200, expected a value of DType");
  EXPECT_EQ(with_op<op::Custom>([](auto& op) { op.attributes[0].reals = {1}, op.attributes[0].text = "x"; }),
            "attributes[0] is a value of 3 kinds, expected ints, reals or text");
}

// A graph may call only graphs before it, so none can call itself, alone or in a ring.
TEST(FileIds, OfCalls) {
  const std::string text = with_op<op::Call>([](auto& op) { op.graph = {6}; }, Code::out_of_range);
  EXPECT_EQ(text, fmt::format("[call] graph is graph 6, expected a graph with an id below 6 (at forward: nodes[{}])",
                              find<op::Call>(every_op())));
}

using ProgramEdit = std::function<void(Program&)>;

std::string with(const ProgramEdit& edit, Code code = Code::bad_file) {
  Program program = small_program();
  edit(program);
  return Damage(program).refusal(code);
}

Value& value(Program& program, size_t i) { return program.graphs.back().values[i]; }

TEST(FileIds, OfValues) {
  const Graph graph = small_program().graphs.back();
  ASSERT_EQ(graph.values[0].kind, ValueKind::input);
  ASSERT_EQ(graph.values[2].kind, ValueKind::weight);
  const size_t nodes = graph.nodes.size(), last = graph.values.size() - 1;
  EXPECT_EQ(with([](Program& p) { value(p, 2).index = 2; }), "graphs[6].values[2].index is 2, expected an id below 2");
  EXPECT_EQ(with([&](Program& p) { value(p, last).index = static_cast<uint32_t>(nodes); }),
            fmt::format("graphs[6].values[{}].index is {}, expected an id below {}", last, nodes, nodes));
  EXPECT_EQ(with([](Program& p) { value(p, 1).index = 2; }), "graphs[6].values[1] is 2, expected an id below 2");
  EXPECT_EQ(with([](Program& p) { value(p, 1).index = 0; }),
            "graphs[6].values[1] is input 0, expected another position: values[0] has that one");
  EXPECT_EQ(with([&](Program& p) { value(p, last).index = 3; }),
            fmt::format("graphs[6].values[{}] is a result of node 3, expected one of node {} or later: results are "
                        "consecutive, in the order of the nodes",
                        last, nodes - 1));
  EXPECT_EQ(with([](Program& p) { p.graphs.back().outputs[0].value = {1000}; }),
            fmt::format("graphs[6].outputs[0].value is 1000, expected an id below {}", last + 1));
  EXPECT_EQ(with([](Program& p) { p.states[0].initial = WeightId{2}; }),
            "states[0].initial is 2, expected an id below 2");
}

TEST(FileIds, OfResultsThatAreTooManyOrTooFew) {
  const Program small = small_program();
  const size_t last = small.graphs.back().nodes.size() - 1;
  const std::string where = fmt::format("(at forward: nodes[{}])", last);
  EXPECT_EQ(with([](Program& p) { p.graphs.back().values.pop_back(), p.graphs.back().outputs.pop_back(); },
                 Code::type_mismatch),
            "[nonzero] the number of results is 0, expected 1 " + where);
  EXPECT_EQ(
      with([](Program& p) { p.graphs.back().values.push_back(p.graphs.back().values.back()); }, Code::type_mismatch),
      "[nonzero] the number of results is 2, expected 1 " + where);
  const std::string text = with([](Program& p) { p.graphs.back().nodes.pop_back(); });
  EXPECT_EQ(text, fmt::format("graphs[6].values[{}].index is {}, expected an id below {}",
                              small.graphs.back().values.size() - 1, last, last));
}

TEST(FileIds, OneNameForEachValueOrNone) {
  Damage damage(small_program());
  const size_t values = damage.last_graph().values()->size();
  damage.overwrite(damage.last_graph().value_names(), uint32_t{3});
  EXPECT_EQ(damage.refusal(),
            fmt::format("graphs[6].value_names is a list of 3, expected {}, one for each value", values));
}

TEST(FileIds, OfSymbols) {
  Damage twice(small_program());
  twice.overwrite(twice.root().symbols()->Get(1)->name(), 'S', 4);
  EXPECT_EQ(twice.refusal(), "symbols[1] is \"S\", expected a name that no earlier symbol has");
  Damage reversed(small_program());
  reversed.overwrite_field(reversed.root().symbols()->Get(0), fbs::Symbol::VT_MIN, int64_t{9});
  EXPECT_EQ(reversed.refusal(Code::invalid_argument),
            "the range of symbol S is 9..8, expected 0 <= min <= max (at symbols[0])");
}

// --------------------------------------------------------------------------------------------------------- schemes

TEST(FileIds, OfSchemes) {
  const auto refusal = [](uint16_t field, auto number, Code code) {
    Damage damage(every_dtype());
    const auto* types = damage.root().types();
    for (const fbs::TensorType* type : *types) {
      if (!type->scheme()) continue;
      damage.overwrite_field(type->scheme(), field, number);
      break;
    }
    const std::string text = damage.refusal(code);
    return text.substr(0, text.find(" (at types["));
  };
  EXPECT_EQ(refusal(fbs::QuantScheme::VT_BITS, uint8_t{9}, Code::out_of_range),
            "bits of affine scheme is 9, expected 2 to 8");
  EXPECT_EQ(refusal(fbs::QuantScheme::VT_GROUP, uint32_t{0}, Code::out_of_range),
            "group of affine scheme is 0, expected at least 1");
  EXPECT_EQ(refusal(fbs::QuantScheme::VT_SCALE, uint8_t{1}, Code::out_of_range),
            "scale of affine scheme is u8, expected f16, bf16 or f32");
}

// --------------------------------------------------------------------------------------------------------- weights

struct WeightCase {
  uint16_t field;
  uint64_t value;
  std::string message;
};

TEST(FileWeights, LieWithinTheSegments) {
  const WeightCase cases[] = {
      {fbs::Weight::VT_OFFSET, 1, "weights[1].offset is 1, expected a multiple of 16384"},
      {fbs::Weight::VT_OFFSET, 32768,
       "weights[1] is 3 bytes at offset 32768, expected a range within the 16387 bytes of segments"},
      {fbs::Weight::VT_OFFSET, UINT64_MAX - 16383,
       "weights[1] is 3 bytes at offset 18446744073709535232, expected a range within the 16387 bytes of segments"},
      {fbs::Weight::VT_BYTES, 4, "weights[1].bytes is 4, expected 3 for bool[3]"},
      {fbs::Weight::VT_BYTES, UINT64_MAX, "weights[1].bytes is 18446744073709551615, expected 3 for bool[3]"},
  };
  for (const WeightCase& c : cases) {
    Damage damage(small_program());
    damage.overwrite_field(damage.root().weights()->Get(1), c.field, c.value);
    EXPECT_EQ(damage.refusal(), c.message + " (at weights[1] \"mask\")");
  }
}

TEST(FileWeights, DoNotOverlap) {
  Damage damage(small_program());
  damage.overwrite_field(damage.root().weights()->Get(1), fbs::Weight::VT_OFFSET, uint64_t{0});
  damage.put<uint32_t>(16384, 0);  // so that the mask is one of bools there
  EXPECT_EQ(damage.refusal(),
            "weights[1] has 3 bytes at offset 0 and overlaps weights[0], which has 24 bytes at offset 0");
}

TEST(FileWeights, DoNotOverlapInPart) {
  ProgramBuilder p;
  p.weight("a", Tensor::allocate(DType::u8, {16384 * 2}));
  p.weight("b", Tensor::allocate(DType::u8, {16384}));
  Damage damage(p.build());
  damage.overwrite_field(damage.root().weights()->Get(1), fbs::Weight::VT_OFFSET, uint64_t{16384});
  EXPECT_EQ(damage.refusal(),
            "weights[1] has 16384 bytes at offset 16384 and overlaps weights[0], which has 32768 bytes at offset 0");
}

TEST(FileWeights, AreBoolsWhereTheySaySo) {
  Damage damage(small_program());
  damage.bytes()[32769] = std::byte{2};
  EXPECT_EQ(damage.refusal(), "bool element 1 is 2, expected 0 or 1 (at weights[1] \"mask\")");
}

TEST(FileWeights, HaveLiteralSizes) {
  Damage damage(small_program());
  const uint32_t type = damage.last_graph().values()->Get(0)->type();  // f32[S, 3]
  damage.overwrite(damage.root().weights()->Get(0)->type(), type);
  EXPECT_EQ(damage.refusal(), "weights[0].type is f32[S, 3], expected a type of literal sizes (at weights[0] \"w\")");
}

TEST(FileWeights, WithAFileNameATensor) {
  Program program = small_program();
  program.weights[0].external = ExternalTensor{"w.safetensors", "t"};
  Damage damage(program);
  damage.erase_field(damage.root().weights()->Get(0), fbs::Weight::VT_TENSOR);
  EXPECT_EQ(damage.refusal(), "weights[0]: missing required field tensor");
}

// ---------------------------------------------------------------------------------------------------------- limits

TEST(FileLimits, AreObeyedWhileReading) {
  const Program program = small_program();
  size_t nodes = 0, values = 0;
  for (const Graph& graph : program.graphs) nodes += graph.nodes.size(), values += graph.values.size();
  const uint64_t metadata = Damage(program).get<uint64_t>(32);
  const std::pair<Limits, std::string> cases[] = {
      {{.nodes = nodes - 1}, fmt::format("the number of nodes is {}, expected at most {}", nodes, nodes - 1)},
      {{.values = values - 1}, fmt::format("the number of values is {}, expected at most {}", values, values - 1)},
      {{.graphs = 6}, "the number of graphs is 7, expected at most 6"},
      {{.weights = 1}, "the number of weights is 2, expected at most 1"},
      {{.states = 0}, "the number of states is 1, expected at most 0"},
      {{.symbols = 1}, "the number of symbols is 2, expected at most 1"},
      {{.rank = 1}, "the number of types[0].shape is 2, expected at most 1"},
      {{.metadata_bytes = metadata - 1},
       fmt::format("FlatBuffer size is {}, expected at most {}", metadata, metadata - 1)},
  };
  for (const auto& [limits, message] : cases) EXPECT_EQ(Damage(program).refusal(Code::limit, limits), message);
  const Limits enough{
      .nodes = nodes, .values = values, .graphs = 7, .weights = 2, .states = 1, .symbols = 2, .rank = 2};
  EXPECT_EQ(difference(Damage(program).read({.limits = enough}), program), "");
}

TEST(FileLimits, AreObeyedByTheVerifier) {
  const std::pair<Limits, std::string> cases[] = {
      {{.nesting = 1}, "the number of nested calls of graph forward is 2, expected at most 1"},
      {{.name_bytes = 4}, "the name of a state is 5 bytes long, expected at most 4"},
      {{.tensor_bytes = 23}, "f32[3, 2] is 24 bytes, expected at most 23"},
  };
  for (const auto& [limits, message] : cases) {
    EXPECT_EQ(Damage(small_program()).refusal(Code::limit, limits), message);
  }
}

}  // namespace
}  // namespace ingot::test
