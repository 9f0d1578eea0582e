// Composites and their decompositions: the expanded program gives what NumPy gives, as the kernel does (values_test.cpp).
// A case that says "expands": false has numbers beyond what a decomposition holds between its ops.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "gen/test_paths.h"
#include "passes/expand.h"
#include "program/text.h"
#include "runtime/compare.h"
#include "runtime/session.h"
#include "tests/support/case.h"

namespace ingot {
namespace {

using nlohmann::json;

// A decomposition rounds after every op, in f32 at least.
Tolerance tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return {.rtol = 1e-12, .atol = 1e-12};
    case DType::f16: return {.rtol = 2e-3, .atol = 1e-5};
    case DType::bf16: return {.rtol = 1e-2, .atol = 1e-5};
    default: return {.rtol = 1e-4, .atol = 1e-5};
  }
}

std::vector<NamedTensor> tensors_of(const json& named) {
  std::vector<NamedTensor> tensors;
  for (const auto& [name, text] : named.items()) tensors.push_back({name, test::tensor_of(text.get<std::string>())});
  return tensors;
}

void expect_close(const std::vector<NamedTensor>& actual, const json& expected) {
  for (const auto& [name, tensor] : actual) {
    const Tensor wanted = test::tensor_of(expected.at(name).get<std::string>());
    EXPECT_EQ(compare(tensor, wanted, tolerance_of(wanted.dtype())).difference, "") << "in output " << name;
  }
}

bool is_composite(const Node& node) { return kOpFacts[node.op.index()].composite; }

int composites_of(const Program& program) {
  int count = 0;
  for (const Graph& graph : program.graphs) {
    count += static_cast<int>(std::ranges::count_if(graph.nodes, is_composite));
  }
  return count;
}

json cases_of(std::string_view family) {
  return json::parse(std::ifstream(fmt::format("{}/tests/data/reference/{}.json", test::source_dir, family)));
}

class Composites : public testing::TestWithParam<std::string> {};

TEST_P(Composites, MeanWhatTheirDecompositionsDo) {
  for (const json& row : cases_of(GetParam())) {
    const Program program = parse(row.at("program").get<std::string>());
    if (composites_of(program) == 0 || !row.value("expands", true)) continue;
    SCOPED_TRACE(row.at("name").get<std::string>());
    const Program primitive = expand_composites(program);
    EXPECT_EQ(composites_of(primitive), 0);
    Session session(compile(primitive, {.engine = "reference"}));
    for (const json& call : row.at("calls")) {
      if (!call.contains("error")) expect_close(session.run(tensors_of(call.at("inputs"))), call.at("outputs"));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, Composites, testing::ValuesIn(test::case_families()),
                         [](const auto& parameter) { return parameter.param; });

// A family may have its cases in several files, so this is counted over all.
TEST(CompositeCases, ExpandEveryComposite) {
  std::set<std::string_view> expected, expanded;
  for (const OpFacts& op : kOpFacts) {
    if (op.composite) expected.insert(op.mnemonic);
  }
  for (const std::string& family : test::case_families()) {
    for (const json& row : cases_of(family)) {
      if (!row.value("expands", true)) continue;
      const Program program = parse(row.at("program").get<std::string>());
      for (const Graph& graph : program.graphs) {
        for (const Node& node : graph.nodes) {
          if (is_composite(node)) expanded.insert(kOpFacts[node.op.index()].mnemonic);
        }
      }
    }
  }
  EXPECT_EQ(expanded, expected);
}

}  // namespace
}  // namespace ingot
