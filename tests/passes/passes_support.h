// What the tests of passes share: programs written in one line, and runs on the reference engine.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engines/reference/evaluate.h"
#include "engines/reference/execute.h"
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "program/float_format.h"
#include "program/text.h"

namespace ingot::test {

// Symbols, weights, states and graphs that the programs of the tests use.
inline constexpr std::string_view kDeclared = R"(ingot 1
symbol S in 1..8
symbol T in 1..8
symbol U
symbol N in 0..64
symbol K in 0..8
weight @w : f32[2, 3] = [1, 2, 3, 4, 5, 6]
weight @one : f32[] = [1]
state @s : f32[3] = zeros
state @t : f32[3] = zeros
graph double(%a: f32[3]) -> (b) {
  %b = add %a, %a
  return %b
}
graph square_it(%a: f32[3]) -> (b) {
  %b = mul %a, %a
  return %b
}
graph writes(%a: f32[3]) -> (b) {
  %b = state_write %a {state=@s}
  return %b
}
)";

// Statements in one line, `; ` between them.
inline std::string lines(std::string text) {
  for (size_t at = text.find("; "); at != text.npos; at = text.find("; ", at)) text.replace(at, 2, "\n");
  return text;
}

// `method f(inputs) -> (y, …) { body }`, where the body ends with `return %a, …`; without that it returns %y.
inline Program program_of(std::string_view inputs, std::string_view body) {
  std::string statements = lines(std::string(body));
  if (statements.find("return ") == statements.npos) statements += "\nreturn %y";
  const std::string_view returned = std::string_view(statements).substr(statements.rfind("return "));
  std::string outputs = "y";
  for (const char c : returned) {
    if (c == ',') outputs += ", y" + std::to_string(outputs.size());
  }
  return parse(std::string(kDeclared) + "method f(" + std::string(inputs) + ") -> (" + outputs + ") {\n" + statements +
               "\n}\n");
}

// The method alone.
inline std::string text_of(const Program& program) {
  const std::string text = print(program);
  return text.substr(text.find("method f("));
}

// Without the names of nodes whose value has none.
inline std::string plain_text_of(const Program& program) {
  std::string text = text_of(program);
  for (size_t at = text.find(" loc("); at != text.npos; at = text.find(" loc(", at)) {
    text.erase(at, text.find('\n', at) - at);
  }
  return text;
}

// What one rule makes of a program.
struct RuleCase {
  std::string_view rule, inputs, before, after;  // nothing in `after`: the rule does not apply
};

inline void expect_match_and_near_miss(std::span<const RuleCase> cases, std::span<const Rule> rules) {
  std::map<std::string_view, std::pair<int, int>> seen;
  for (const RuleCase& row : cases) ++(row.after.empty() ? seen[row.rule].second : seen[row.rule].first);
  for (const Rule& rule : rules) {
    EXPECT_GT(seen[rule.name].first, 0) << rule.name;
    EXPECT_GT(seen[rule.name].second, 0) << rule.name;
    EXPECT_FALSE(rule.meaning.empty()) << rule.name;
  }
  EXPECT_EQ(seen.size(), rules.size()) << "names are unique";
}

// A program on the reference engine, with its states.
class Runner {
 public:
  explicit Runner(const Program& program, RunLimits limits = {})
      : plan_(reference::make_plan(program)), limits_(limits) {
    for (const State& state : program.states) {
      states_.push_back(state.initial ? contents_of(program.weights[state.initial->id])->aligned() : zeros(state.type));
    }
  }

  const std::vector<Tensor>& states() const { return states_; }

  // The outputs of a graph, method or not; inputs in its order.
  std::vector<Tensor> run(std::string_view name, std::vector<Tensor> inputs) {
    const std::vector<Graph>& graphs = plan_.program.graphs;
    const auto found = std::ranges::find(graphs, name, &Graph::name);
    std::vector<DimEquation> sizes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Shape& shape = found->type(found->inputs[i]).shape;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        sizes.push_back({shape[axis], inputs[i].sizes()[axis], "input"});
    }
    reference::States states(states_);
    const GraphId id{static_cast<uint32_t>(found - graphs.begin())};
    std::vector<Tensor> outputs = reference::execute(plan_, id, std::move(inputs), solve(sizes), states, limits_);
    for (uint32_t i = 0; i < states_.size(); ++i) states_[i] = states.read({i});
    return outputs;
  }

 private:
  static Tensor zeros(const TensorType& type) {
    Tensor tensor = Tensor::allocate(type.dtype, *literal_sizes(type.shape), type.scheme);
    std::ranges::fill(tensor.mutable_bytes(), std::byte{});
    return tensor;
  }

  reference::Plan plan_;
  RunLimits limits_;
  std::vector<Tensor> states_;
};

// Bit by bit, but for the bits of a NaN.
inline bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return false;
  if (std::ranges::equal(a.bytes(), b.bytes())) return true;
  const DType dtype = a.dtype() == DType::c64 ? DType::f32 : a.dtype();
  const auto format = float_format(dtype);
  const size_t size = static_cast<size_t>(bits(dtype)) / 8;
  if (!format || size == 0) return false;
  for (size_t at = 0; at < a.bytes().size(); at += size) {
    uint64_t x = 0, y = 0;
    std::memcpy(&x, a.bytes().data() + at, size);
    std::memcpy(&y, b.bytes().data() + at, size);
    if (x != y && !(std::isnan(decode(*format, x)) && std::isnan(decode(*format, y)))) return false;
  }
  return true;
}

inline size_t node_count(const Program& program) {
  size_t count = 0;
  for (const Graph& graph : program.graphs) count += graph.nodes.size();
  return count;
}

}  // namespace ingot::test
