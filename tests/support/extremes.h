// Extremes: a node of an example by itself, with one of its integers as large or as small as it can be.
//
// An op that inference accepts so must still end well on every engine: within the limits, or refused with an Error.
//
// Ownership  values. Threads  pure functions. Failure  none.
#pragma once

#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "gen/fields.h"
#include "passes/operands.h"
#include "program/builder.h"
#include "program/error.h"
#include "tests/file/run_within_limits.h"

namespace ingot::test {

// f(integer), which it may change, for every int64_t and every Dim among the attributes.
template <class F>
void for_each_integer(Op& op, F f) {
  visit_fields(op, [&]<class T>(const FieldFacts&, T& field) {
    if constexpr (std::is_same_v<T, int64_t> || std::is_same_v<T, Dim>) {
      f(field);
    } else if constexpr (std::is_same_v<T, std::optional<int64_t>> || std::is_same_v<T, std::optional<Dim>>) {
      if (field) f(*field);
    } else if constexpr (std::is_same_v<T, std::vector<int64_t>> || std::is_same_v<T, Shape>) {
      for (auto& each : field) f(each);
    }
  });
}

inline size_t count_integers(Op op) {
  size_t count = 0;
  for_each_integer(op, [&](auto&) { ++count; });
  return count;
}

inline Op with_integer(Op op, size_t place, int64_t value) {
  size_t at = 0;
  for_each_integer(op, [&](auto& integer) {
    if (at++ == place) integer = value;
  });
  return op;
}

// The node as a program, `op` in its place: operands are inputs, every symbol is 3 or next to it. None where inference
// refuses it, and for ops that need graphs or states.
inline std::optional<Program> node_alone(const Program& from, const Graph& graph, Op op) try {
  const Bindings bindings = small_sizes(from, 3);
  const auto fixed = [&](TensorType type) {
    for (Dim& dim : type.shape) dim = substitute(dim, bindings);
    return type;
  };
  bool stands_alone = true;
  visit_fields(op, [&]<class T>(const FieldFacts&, const T&) {
    stands_alone = stands_alone && !std::is_same_v<T, GraphId> && !std::is_same_v<T, StateId>;
  });
  if (!stands_alone) return {};
  for_each_integer(op, [&]<class T>(T& integer) {
    if constexpr (std::is_same_v<T, Dim>) integer = substitute(integer, bindings);
  });

  ProgramBuilder program;
  for (const Symbol& symbol : from.symbols) program.symbol(std::string(symbol.name()), symbol.min(), symbol.max());
  GraphBuilder& main = program.method("main");
  std::unordered_map<uint32_t, Ref> inputs;
  visit_operands(op, [&](Ref& ref) {
    const auto [place, is_new] = inputs.try_emplace(ref.id);
    if (is_new) place->second = main.input("x" + std::to_string(ref.id), fixed(graph.type(ref))).ref();
    ref = place->second;
  });
  const std::vector<Var> results = main.add(std::move(op));
  for (size_t i = 0; i < results.size(); ++i) main.output("y" + std::to_string(i), results[i]);
  return program.build();
} catch (const Error&) {
  return {};
}

// The largest value that inference accepts at that place, by bisection: what it accepts is taken for a range from the
// value that stands there.
inline std::optional<int64_t> largest_accepted(const Program& from, const Graph& graph, const Op& op, size_t place) {
  const auto accepts = [&](int64_t value) {
    return node_alone(from, graph, with_integer(op, place, value)).has_value();
  };
  int64_t low = 0, high = std::numeric_limits<int64_t>::max();
  size_t at = 0;
  Op given = op;
  for_each_integer(given, [&]<class T>(const T& integer) {
    if (at++ != place) return;
    if constexpr (std::is_same_v<T, int64_t>) low = integer;
    if constexpr (std::is_same_v<T, Dim>) low = integer.is_literal() ? integer.literal() : 3;
  });
  if (!accepts(low)) return {};
  while (low + 1 < high) {
    const int64_t middle = std::midpoint(low, high);
    (accepts(middle) ? low : high) = middle;
  }
  return low;
}

struct ExtremeCase {
  std::string name;  // `roi_pool, integer 1 is 4294967296`
  Program program;
};

inline std::vector<int64_t> extreme_values() {
  constexpr int64_t most = std::numeric_limits<int64_t>::max(), least = std::numeric_limits<int64_t>::min();
  constexpr int64_t b32 = int64_t{1} << 32, b40 = int64_t{1} << 40, b31 = int64_t{1} << 31;
  return {100'000'000, b31 - 1, b32, b40, most, -b32, least};
}

// Of one integer of a node.
inline std::vector<ExtremeCase> extremes_of(const Program& from, const Graph& graph, const Node& node, size_t place) {
  std::vector<int64_t> values = extreme_values();
  if (const auto largest = largest_accepted(from, graph, node.op, place)) values.push_back(*largest);
  std::vector<ExtremeCase> cases;
  for (const int64_t value : values) {
    auto program = node_alone(from, graph, with_integer(node.op, place, value));
    if (!program) continue;
    const std::string text = std::to_string(place) + " is " + std::to_string(value);
    cases.push_back({std::string(mnemonic(node.op)) + ", integer " + text, std::move(*program)});
  }
  return cases;
}

}  // namespace ingot::test
