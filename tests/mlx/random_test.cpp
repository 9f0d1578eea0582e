// Random programs give on MLX what they give on the reference engine, and what one refuses the other refuses alike:
// several methods and outputs, state, control flow and symbols.
//
// A difference of rounding can grow beyond every bound on its way: floor, comparisons, casts to integers. So where outputs
// depart, the results of all nodes are compared, and a node is at fault that departs although its operands are the same bit
// by bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "passes/expose.h"
#include "program/error.h"
#include "program/text.h"
#include "program/text/fields.h"
#include "tests/support/case.h"
#include "tests/support/random_program.h"

namespace ingot::test {
namespace {

// Whose results are the engine's own in part.
struct OwnResults {
  Opcode op;
  std::string_view why;
};
constexpr OwnResults kOwnResults[] = {
    {Opcode::partition, "which elements stand where on either side is open"},
    {Opcode::top_k, "unsorted, its order is open"},
    {Opcode::qr, "columns that complete a basis are any"},
    {Opcode::svd, "vectors of values that repeat are any"},
    {Opcode::eigh, "vectors of values that repeat are any"},
    {Opcode::lstsq, "rounding grows with the condition of the matrix"},
    {Opcode::triangular_solve, "as lstsq"},
    {Opcode::quantize, "the sign of an offset of zero is the engine's own"},
    {Opcode::fft, "what infinities, and terms that cancel out, leave of a sum depends on its order"},
    {Opcode::rfft, "as fft"},
    {Opcode::irfft, "as fft"},
    {Opcode::stft, "as fft"},
};

// Refuse matrices in which elimination leaves a pivot of 0: rounding decides.
constexpr std::string_view kRefusesByRounding[] = {"cholesky", "inverse", "solve"};

// Of both, since some loops have no end.
constexpr RunLimits kLimits{.bytes = 1 << 26, .steps = 30'000};

// ---------------------------------------------------------------------------------------------------------------- runs

// As it is written: passes drop what is refused and not used.
Session session_of(const Program& program, const Target& target) {
  CompileOptions options = target.options(kLimits);
  options.optimize = false;
  return Session(compile(program, options));
}

struct Outcome {
  std::vector<NamedTensor> outputs;
  std::optional<Error> refusal;
};

Outcome run(Session& session, const std::vector<NamedTensor>& inputs, const std::string& method) {
  try {
    return {session.run(inputs, method), {}};
  } catch (const Error& error) {
    return {{}, error};
  }
}

bool beyond_limits(const Outcome& outcome) { return outcome.refusal && outcome.refusal->code() == Code::limit; }

std::vector<NamedTensor> inputs_of(const Program& program, const Graph& method, uint64_t seed) {
  std::vector<NamedTensor> named;
  for (Tensor& tensor : random_inputs(program, method, seed)) {
    named.push_back({method.values[method.inputs[named.size()].id].name, std::move(tensor)});
  }
  return named;
}

// ---------------------------------------------------------------------------------------------------------- comparison

// Equality for one program on one target.
struct Comparer {
  const Program& program;
  const Target& target;

  std::string difference(const Tensor& actual, const Tensor& expected) const {
    return test::difference(actual, expected, on_target({}, target, program, expected.dtype()));
  }
  bool close(const std::vector<NamedTensor>& actual, const std::vector<NamedTensor>& expected) const {
    return std::ranges::equal(actual, expected, [&](const NamedTensor& a, const NamedTensor& b) {
      return difference(a.tensor, b.tensor).empty();
    });
  }
};

bool same_bits(const Tensor& a, const Tensor& b) { return difference(a, b, {.ulps = 0}).empty(); }

std::vector<NamedTensor> states_of(const Session& session) {
  std::vector<NamedTensor> states;
  for (const State& state : session.executable().program().states)
    states.push_back({state.name, session.state(state.name)});
  return states;
}

// Where a call begins.
struct Call {
  const Graph& method;
  std::vector<NamedTensor> states, inputs;
};

// A body's nodes are not seen.
bool shows_nothing(const Op& op) {
  return kOpFacts[op.index()].effects == OpEffects::body ||
         std::ranges::find(kOwnResults, static_cast<Opcode>(op.index()), &OwnResults::op) != std::end(kOwnResults);
}

bool binds_symbols(const Graph& method) {
  return std::ranges::any_of(method.nodes, [](const Node& node) {
    bool binds = false;
    visit_fields(node.op, [&]<class F>(const FieldFacts&, const F&) { binds |= std::same_as<F, SymbolId>; });
    return binds;
  });
}

// A sentence about the first node at fault; empty when differences have grown on their way.
std::string fault(const Comparer& comparer, const Call& call) {
  if (binds_symbols(call.method)) return {};  // a second method cannot bind them again
  const Exposed exposed = expose_values(comparer.program, call.method);
  const auto values = [&](const Target& target) {
    Session session = session_of(exposed.program, target);
    for (const auto& [name, tensor] : call.states) session.set_state(name, tensor);
    std::vector<NamedTensor> all = session.run(call.inputs, exposed.method);
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(call.method.outputs.size()));
    return all;
  };
  const std::vector<NamedTensor> expected = values({}), actual = values(comparer.target);
  const Graph& method = *exposed.program.method(exposed.method);
  std::map<uint32_t, bool> exact;
  for (size_t i = 0; i < expected.size(); ++i) {
    exact[exposed.values[i].id] = same_bits(actual[i].tensor, expected[i].tensor);
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const std::string difference = comparer.difference(actual[i].tensor, expected[i].tensor);
    const Node& node = method.nodes[method.values[exposed.values[i].id].index];
    bool same_operands = !shows_nothing(node.op);
    const auto look = [&](Ref operand) { same_operands &= !exact.contains(operand.id) || exact[operand.id]; };
    text::visit_operands(node.op, [&]<class F>(const FieldFacts&, const F& field) {
      if constexpr (std::same_as<F, Ref>) look(field);
      if constexpr (std::same_as<F, std::optional<Ref>>) field ? look(*field) : void();
      if constexpr (std::same_as<F, std::vector<Ref>>) std::ranges::for_each(field, look);
    });
    if (!difference.empty() && same_operands) {
      return fmt::format("{}: {}", print_node(exposed.program, method, node), difference);
    }
  }
  return {};
}

// --------------------------------------------------------------------------------------------------------------- tests

struct Tally {
  size_t calls = 0, refused = 0, grown = 0;
};

// The same node must be refused with the same code. Which of several comes first is the engine's choice: MLX knows sizes
// before values.
std::string refusal_problem(const std::optional<Error>& actual, const std::optional<Error>& expected) {
  const auto one = actual ? actual : expected;
  if (!actual || !expected) {
    if (std::ranges::find(kRefusesByRounding, one->op()) != std::end(kRefusesByRounding)) return {};
    return fmt::format("{} refuses {}", actual ? "MLX alone" : "MLX does not, the reference engine", one->what());
  }
  if (actual->node() != expected->node() || actual->code() == expected->code()) return {};
  return fmt::format("refuses {}, expected {}", actual->what(), expected->what());
}

// Every method in turn, twice, on the same states; until a call departs, since then the states do.
std::string problem_of(const Program& program, const Target& target, uint64_t seed, Tally& tally) {
  const Comparer comparer{program, target};
  Session reference = session_of(program, {}), session = session_of(program, target);
  for (uint64_t repeat = 0; repeat < 2; ++repeat) {
    for (const std::string& name : program.method_names()) {
      const Graph& method = *program.method(name);
      const Call call{method, states_of(reference), inputs_of(program, method, seed + repeat)};
      const Outcome expected = run(reference, call.inputs, name);
      const Outcome actual = run(session, call.inputs, name);
      if (beyond_limits(expected) || beyond_limits(actual)) return {};
      ++tally.calls;
      if (expected.refusal || actual.refusal) {
        ++tally.refused;
        const std::string problem = refusal_problem(actual.refusal, expected.refusal);
        if (!problem.empty()) return fmt::format("{}: {}", name, problem);
        if (!expected.refusal || !actual.refusal) return {};
      } else if (!comparer.close(actual.outputs, expected.outputs) ||
                 !comparer.close(states_of(session), states_of(reference))) {
        ++tally.grown;
        return fault(comparer, call);
      }
    }
  }
  return {};
}

class MlxRandom : public testing::TestWithParam<const char*> {};

bool has_f64(const Program& program) {
  return std::ranges::any_of(program.graphs, [](const Graph& graph) {
    return std::ranges::any_of(graph.values, [](const Value& value) { return value.type.dtype == DType::f64; });
  });
}

TEST_P(MlxRandom, ProgramsGiveTheReferenceEnginesResults) {
  constexpr uint64_t kSeeds = 300;
  const Target target = Target::parse(GetParam());
  const bool skips_f64 = !target.has_f64();
  Tally tally;
  uint64_t tried = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Program program = random_program(seed, {.custom = false});
    if (skips_f64 && has_f64(program)) continue;
    ++tried;
    EXPECT_EQ(problem_of(program, target, seed, tally), "") << "seed " << seed << "\n" << print(program);
  }
  EXPECT_GT(tried, kSeeds / 5);
  EXPECT_GT(tally.calls, tried);
  EXPECT_GT(tally.calls - tally.refused - tally.grown, tried / 2) << "calls whose results are the same";
}

INSTANTIATE_TEST_SUITE_P(, MlxRandom, testing::Values("mlx:lazy", "mlx:compiled"),
                         [](const auto& parameter) { return Target::parse(parameter.param).mode; });

}  // namespace
}  // namespace ingot::test
