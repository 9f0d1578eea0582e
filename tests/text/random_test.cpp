// Random programs: to text and back, to a file and back, and nothing is lost on the way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "gen/fields.h"
#include "program/error.h"
#include "program/file.h"
#include "program/text.h"
#include "program/text/fields.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"

namespace ingot {
namespace {

using test::random_program;

constexpr uint64_t kSeeds = 3000;

// ------------------------------------------------------------------------------------------------------ canonical order

// The program with the values of each graph in the order in which its text mentions them: inputs, then weights as they
// are used and results as they are made. Weights that a graph does not use are gone.
class Renumbered {
 public:
  explicit Renumbered(const Graph& graph) : from_(graph), to_(graph), new_ids_(graph.values.size(), kNone) {
    to_.values.clear();
    for (Ref& input : to_.inputs) input = renumber(input);
    for (Node& node : to_.nodes) {
      visit_fields(node.op, [&](const FieldFacts&, auto& field) { renumber_field(field); });
      const Ref first = node.first_result;
      node.first_result = {static_cast<uint32_t>(to_.values.size())};
      for (uint32_t i = 0; i < node.result_count; ++i) renumber({first.id + i});
    }
    for (Output& output : to_.outputs) output.value = renumber(output.value);
  }

  Graph take() { return std::move(to_); }

 private:
  static constexpr uint32_t kNone = ~0u;

  Ref renumber(Ref ref) {
    uint32_t& id = new_ids_[ref.id];
    if (id == kNone) {
      id = static_cast<uint32_t>(to_.values.size());
      to_.values.push_back(from_.values[ref.id]);
    }
    return {id};
  }
  template <class T>
  void renumber_field(T& field) {
    if constexpr (std::same_as<T, Ref>) field = renumber(field);
    if constexpr (std::same_as<T, std::optional<Ref>>) {
      if (field) field = renumber(*field);
    }
    if constexpr (std::same_as<T, std::vector<Ref>>) {
      for (Ref& ref : field) ref = renumber(ref);
    }
  }

  const Graph& from_;
  Graph to_;
  std::vector<uint32_t> new_ids_;
};

Program canonical(Program program) {
  for (Graph& graph : program.graphs) graph = Renumbered(graph).take();
  return program;
}

// ---------------------------------------------------------------------------------------------------------- round trips

WeightResolver weights_of(const Program& program) {
  return [&](const ContentHash& hash, const std::vector<std::string>&) -> std::optional<Tensor> {
    for (const Weight& weight : program.weights) {
      if (weight.hash == hash) return weight.tensor;
    }
    return {};
  };
}

Program through_file(const Program& program) { return read_program(Buffer::copy_of(write_program(program))); }

// Text, program, file, program, text. The options differ from seed to seed.
void expect_round_trip(uint64_t seed) {
  const Program program = random_program(seed);
  const TextOptions options{.inline_bytes = seed % 3 == 0 ? 0 : 1 << 20,
                            .types = seed % 2 == 0,
                            .weights_from = seed % 5 ? "" : "a\"b.ingot"};
  const std::string text = print(program, options);
  SCOPED_TRACE(fmt::format("seed {}\n{}", seed, text));
  const Program parsed = parse(text, {.resolve_ref = weights_of(program)});
  ASSERT_EQ(write_program(parsed), write_program(canonical(program)));
  ASSERT_EQ(print(through_file(parsed), options), text);
}

TEST(RandomPrograms, ComeBackFromTextAndFile) {
  constexpr uint64_t kTrips = test::is_sanitized ? 1000 : kSeeds;
  for (uint64_t seed = 0; seed < kTrips; ++seed) {
    try {
      ASSERT_NO_FATAL_FAILURE(expect_round_trip(seed));
    } catch (const Error& error) {
      FAIL() << "seed " << seed << ": " << error.what() << "\n" << print(random_program(seed));
    }
  }
}

TEST(RandomPrograms, AreTheSameForTheSameSeed) {
  const Program a = random_program(7), b = random_program(7), c = random_program(8);
  EXPECT_EQ(write_program(a), write_program(b));
  EXPECT_NE(write_program(a), write_program(c));
}

// ------------------------------------------------------------------------------------------------------------- coverage

// Everything that random programs should consist of occurs in some of them.
class Coverage {
 public:
  void count(const Program& program) {
    for (const Weight& weight : program.weights) count("weight", weight.type);
    for (const State& state : program.states) seen_.insert(state.initial ? "state with contents" : "state of zeros");
    for (const Graph& graph : program.graphs) {
      for (const Value& value : graph.values) count(to_string(value.kind), value.type);
      for (const Node& node : graph.nodes) count(program, node);
      seen_.insert(fmt::format("{} with {} outputs", graph.exported ? "method" : "graph", graph.outputs.size()));
    }
  }

  void expect(const std::string& what) const {
    EXPECT_TRUE(seen_.contains(what)) << "tests/data/ops/<family>.txt, which programs are drawn from, may lack "
                                      << what;
  }

 private:
  void count(std::string_view what, const TensorType& type) {
    seen_.insert(fmt::format("{} of {}", what, to_string(type.dtype)));
    if (type.scheme) seen_.insert(fmt::format("{} of {}", what, to_string(type.scheme->method)));
    if (type.shape.empty()) seen_.insert(fmt::format("{} of rank 0", what));
    for (const Dim& dim : type.shape) {
      if (dim == Dim(0)) seen_.insert(fmt::format("{} of size 0", what));
      if (!dim.is_literal()) seen_.insert(fmt::format("{} of symbolic size", what));
    }
  }

  void count(const Program& program, const Node& node) {
    const std::string name = mnemonic(node.op);
    seen_.insert(name);
    for (const AttributeText& a : print_attributes(program, node.op))
      seen_.insert(fmt::format("{}.{}", kOpFacts[node.op.index()].mnemonic, a.name));
    text::visit_operands(node.op, [&]<class F>(const FieldFacts& facts, const F& field) {
      if constexpr (std::same_as<F, std::optional<Ref>>)
        seen_.insert(
            fmt::format("{} {} {}", kOpFacts[node.op.index()].mnemonic, field ? "with" : "without", facts.name));
    });
  }

  std::set<std::string> seen_;
};

TEST(RandomPrograms, HaveEveryOpAndAttribute) {
  Coverage coverage;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) coverage.count(random_program(seed, {.nodes = 60}));
  for (const Mnemonic& known : kMnemonics) coverage.expect(std::string(known.name));
  for (size_t opcode = 0; opcode < std::size(kOpFacts); ++opcode) {
    const Op op = make_op(static_cast<Opcode>(opcode));
    text::visit_attributes(op, [&](size_t, const FieldFacts& facts, const auto&) {
      coverage.expect(fmt::format("{}.{}", kOpFacts[opcode].mnemonic, facts.name));
    });
    text::visit_operands(op, [&]<class F>(const FieldFacts& facts, const F&) {
      if constexpr (!std::same_as<F, std::optional<Ref>>) return;
      for (const char* presence : {"with", "without"})
        coverage.expect(fmt::format("{} {} {}", kOpFacts[opcode].mnemonic, presence, facts.name));
    });
  }
  for (std::string_view dtype : EnumNames<DType>::names) {
    for (const char* what : {"weight", "input", "result"}) coverage.expect(fmt::format("{} of {}", what, dtype));
  }
  for (std::string_view method : EnumNames<QuantMethod>::names) coverage.expect(fmt::format("weight of {}", method));
  for (const char* what :
       {"weight of rank 0", "weight of size 0", "input of rank 0", "input of size 0", "input of symbolic size",
        "result of rank 0", "result of size 0", "state with contents", "state of zeros", "method with 0 outputs",
        "method with 4 outputs", "graph with 0 outputs", "graph with 2 outputs"}) {
    coverage.expect(what);
  }
}

}  // namespace
}  // namespace ingot
