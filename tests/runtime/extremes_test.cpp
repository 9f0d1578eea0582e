// Every integer attribute of every op at its extremes, on every engine and in every mode, under small limits: what
// inference accepts gives results, or is refused with the op, the node and a number, without much memory.
#include "tests/support/extremes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>

#include "runtime/cost.h"
#include "tests/runtime/support.h"
#include "tests/support/narrow.h"
#include "tests/support/op_examples.h"

namespace ingot::test {
namespace {

// Much less than one of the extremes would take, and what the threads of libraries need.
constexpr int64_t room = int64_t{512} << 20;

void add_cases(const Program& program, std::vector<ExtremeCase>& cases) {
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      for (size_t place = 0; place < count_integers(node.op); ++place) {
        std::ranges::move(extremes_of(program, graph, node, place), std::back_inserter(cases));
      }
    }
  }
}

const std::vector<ExtremeCase>& all_cases() {
  static const std::vector<ExtremeCase> cases = [] {
    std::vector<ExtremeCase> made;
    for (const Program& program : op_examples()) add_cases(program, made);
    return made;
  }();
  return cases;
}

// What is wrong with an error that refuses an extreme; empty: nothing.
std::string fault_of(const Error& error) {
  const Code code = error.code();
  const std::string_view message = error.message();
  if (code != Code::limit && code != Code::out_of_range && code != Code::unsupported && code != Code::type_mismatch) {
    return "the code is " + std::string(to_string(code));
  }
  if (error.op().empty()) return "no op";
  if (error.node().empty()) return "no node";
  if (message.find("system") != std::string_view::npos) return "the system refused, not a limit";
  const bool has_number = std::ranges::any_of(message, [](unsigned char c) { return std::isdigit(c) != 0; });
  return has_number ? "" : "no number";
}

class ExtremesTest : public OnTarget {
 protected:
  // Empty where the call gives results or is refused as it should be.
  static std::string fault_in(const Program& program, const CompileOptions& options, uint64_t seed) {
    try {
      Session session(compile(program, on_target(options)));
      static_cast<void>(session.executable().cost_under("main", {}));
      std::vector<NamedTensor> inputs;
      const Graph& main = *program.method("main");
      for (const Ref input : main.inputs) {
        inputs.push_back({main.values[input.id].name, small_input(main.type(input), {}, seed)});
      }
      check_outputs(main, session.run(std::move(inputs), "main"));
    } catch (const Error& error) {
      const std::string fault = fault_of(error);
      return fault.empty() ? "" : fault + ": " + error.what();
    } catch (const std::exception& error) {
      return std::string("no Error: ") + error.what();
    }
    return "";
  }
};

// Ops that have integers, and neither graphs nor states: of each there is a case.
TEST(Extremes, CoverEveryOp) {
  std::vector<bool> covered(std::size(kOpFacts));
  for (const ExtremeCase& each : all_cases()) covered[each.program.graphs[0].nodes[0].op.index()] = true;
  for (size_t i = 0; i < covered.size(); ++i) {
    const std::vector<OpExample> examples = op_examples(static_cast<Opcode>(i));
    const auto has_integers = [](const OpExample& example) { return count_integers(example.node.op) > 0; };
    EXPECT_TRUE(covered[i] || std::ranges::none_of(examples, has_integers)) << kOpFacts[i].mnemonic;
  }
}

TEST_P(ExtremesTest, EndWithResultsOrARefusal) {
  const std::vector<ExtremeCase>& cases = all_cases();
  const Narrow narrow(room);
  for (const ExtremeCase& each : cases) {
    for (const uint64_t seed : {0, 3}) {
      EXPECT_EQ(fault_in(each.program, {.limits = {.bytes = 1'000'000, .steps = 1000}}, seed), "") << each.name;
    }
  }
}

// Ops that run graphs or use states need a program around them.
TEST_P(ExtremesTest, OfControlFlowAndStatesEndToo) {
  constexpr const char* around = R"(ingot 1
state @s : f32[4] = zeros
graph always(%n: i64[]) -> (c) {
  %c = full {shape=[], value=1, dtype=bool}
  return %c
}
graph same(%n: i64[]) -> (m) {
  return %n
}
graph slice(%n: i64[]) -> (m, y) {
  %y = full {shape=[2], value=1.0, dtype=f32}
  return %n, %y
}
method main(%n: i64[], %u: f32[1]) -> (y) {
  )";
  constexpr const char* nodes[] = {
      "%y = while [%n] {condition=@always, body=@same, max_trips=*}",
      "%m, %y = scan [%n], [], [] {body=@slice, length=*}",
      "%y = state_update %u, [%n] {state=@s, axes=[*]}",
  };
  const Narrow narrow(room);
  int verified = 0;
  for (const std::string node : nodes) {
    const size_t star = node.find('*');
    for (const int64_t value : extreme_values()) {
      const std::string text =
          around + std::string(node).replace(star, 1, std::to_string(value)) + "\n  return %y\n}\n";
      try {
        const Program program = parse(text);
        ++verified;
        EXPECT_EQ(fault_in(program, {.limits = {.bytes = 1'000'000, .steps = 1000}}, 0), "") << node << " " << value;
      } catch (const Error&) {
        continue;  // inference refuses it
      }
    }
  }
  EXPECT_GE(verified, 9);  // no axis is that large
}

// Without a bound on steps that of bytes must do, where nothing is computed before the whole call is charged.
TEST_P(ExtremesTest, EndWithinTheLimitOfBytesAlone) {
  if (is_reference()) GTEST_SKIP() << "may take any time";
  const std::vector<ExtremeCase>& cases = all_cases();
  const Narrow narrow(room);
  for (const ExtremeCase& each : cases) {
    EXPECT_EQ(fault_in(each.program, {.limits = {.bytes = 1'000'000}}, 3), "") << each.name;
  }
}

// Tables that lowerings build on the host.
TEST_P(ExtremesTest, TablesCountBeforeTheyAreBuilt) {
  constexpr const char* nodes[] = {
      "%y = adaptive_pool_max %x {shape=[1, 4294967296]}",
      "%y = adaptive_pool_max %x {shape=[1, 300000000]}",
      "%y = adaptive_pool_avg %row {shape=[4294967296]}",
      "%y = pool_avg %x {kernel=[3, 3], after=[0, 4294967296], count_include_pad=true}",
      "%y = pool_max %x {kernel=[2, 2], dilations=[1, 2], before=[0, 4294967296]}",
      "%y = pool_max %x {kernel=[2, 300000000], before=[0, 299999999]}",
      "%y, %i = pool_max_indices %x {kernel=[2, 2], before=[0, 4294967296]}",
      "%y = resize %x {axes=[2], sizes=[130000000], mode=nearest}",
      "%y = roi_pool %x, %rois {height=100000000, width=2}",
      "%y = unfold %x {kernel=[2, 2], before=[0, 300000000]}",
  };
  const Narrow narrow(room);
  for (const char* node : nodes) {
    const std::string text =
        "ingot 1\nmethod main(%x: f32[1, 1, 4, 4], %row: f32[1, 1, 3], %rois: f32[1, 5]) -> (y) {\n  " +
        std::string(node) + "\n  return %y\n}\n";
    const Program program = parse(text);
    EXPECT_EQ(fault_in(program, {.limits = {.bytes = 1'000'000, .steps = 1000}}, 3), "") << node;
    if (is_reference()) continue;
    EXPECT_EQ(fault_in(program, {.limits = {.bytes = 1'000'000}}, 3), "") << node;
  }
}

INGOT_ON_EVERY_TARGET(ExtremesTest);

}  // namespace
}  // namespace ingot::test
