#include "passes/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "passes/canonicalize.h"
#include "passes/cse.h"
#include "passes/dce.h"
#include "passes/recognize.h"
#include "program/error.h"
#include "program/text/suggest.h"

namespace ingot {
namespace {

RewriteOptions rewriting(const PassOptions& options) {
  return {.is_constant = options.is_constant, .on_applied = options.on_applied};
}

Program run_canonicalize(const Program& program, const PassOptions& options) {
  return canonicalize(program, rewriting(options));
}

Program run_fold(const Program& program, const PassOptions& options) {
  if (!options.evaluate) return program;
  return fold_constants(
      program, options.evaluate,
      {.is_constant = options.is_constant, .growth_bytes = options.growth_bytes, .keep_masks = options.keep_masks});
}

Program run_recognize(const Program& program, const PassOptions& options) {
  return recognize(program, rewriting(options));
}

Program run_cse(const Program& program, const PassOptions&) { return merge_equal(program); }
Program run_dce(const Program& program, const PassOptions&) { return drop_unused(program); }

constexpr Pass all[] = {
    {"canonicalize", "one spelling for each expression, and nothing that does nothing", canonical_rules,
     run_canonicalize},
    {"fold", "what depends on constants alone is computed now", nullptr, run_fold},
    {"cse", "of equal nodes on equal operands the first stands for all", nullptr, run_cse},
    {"recognize", "one op for what exporters write as many", recognition_rules, run_recognize},
    {"dce", "nodes and graphs that nothing uses are dropped", nullptr, run_dce},
};

bool same(const Graph& a, const Graph& b) {
  const auto node = [](const Node& x, const Node& y) { return x.op == y.op; };
  const auto output = [](const Output& x, const Output& y) { return x.value == y.value; };
  return a.values.size() == b.values.size() && std::ranges::equal(a.nodes, b.nodes, node) &&
         std::ranges::equal(a.outputs, b.outputs, output);
}

bool same(const Program& a, const Program& b) {
  const auto graph = [](const Graph& x, const Graph& y) { return same(x, y); };
  return std::ranges::equal(a.graphs, b.graphs, graph);
}

Program repeated(Program program, const PassOptions& options) {
  for (int round = 0; round < options.rounds; ++round) {
    Program next = program;
    for (const Pass& pass : all) next = pass.run(next, options);
    const bool unchanged = same(next, program);
    program = std::move(next);
    if (unchanged) break;
  }
  return program;
}

}  // namespace

std::span<const Pass> passes() { return all; }

// `recognize` must see how a mask is made, and needs numbers that are folded: so masks are folded after all else.
Program optimize(Program program, const PassOptions& options) {
  program = repeated(std::move(program), options);
  PassOptions with_masks = options;
  with_masks.keep_masks = false;
  Program folded = run_dce(run_fold(program, with_masks), with_masks);
  return same(folded, program) ? program : repeated(std::move(folded), with_masks);
}

Program optimize_until(Program program, std::string_view last, const PassOptions& options) {
  const auto end = std::ranges::find(all, last, &Pass::name);
  if (end == std::end(all)) {
    std::vector<std::string_view> names;
    for (const Pass& pass : all) names.push_back(pass.name);
    throw Error(Code::not_found, fmt::format("there is no pass '{}', expected {}{}", last, fmt::join(names, ", "),
                                             did_you_mean(last, names)));
  }
  for (auto pass = std::begin(all); pass <= end; ++pass) program = pass->run(program, options);
  return program;
}

}  // namespace ingot
