#include "passes/fold.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "passes/effects.h"
#include "passes/growth.h"
#include "passes/names.h"
#include "passes/operands.h"
#include "passes/rewrite.h"
#include "program/error.h"

namespace ingot {
namespace {

// What is known of one graph: the contents of values, by id.
class Folding {
 public:
  struct Known {
    Tensor contents;
    int64_t read = 0;  // bytes of the weights that it depends on
  };
  using Contents = std::unordered_map<uint32_t, Known>;

  Folding(const Program& program, const Graph& graph, const Evaluate& evaluate, const FoldOptions& options)
      : view_(program, graph, options.is_constant), evaluate_(evaluate), options_(options) {
    for (const Node& node : graph.nodes) {
      if (!foldable(node)) continue;
      if (options.keep_masks && is_mask(node)) {
        masks_.insert(node.first_result.id);
      } else {
        fold(node);
      }
    }
  }

  // Those that the graph uses elsewhere than in other known ones, and in masks, whose operands stay with them.
  Contents wanted() {
    std::vector<bool> used(view_.graph().values.size());
    for (const Output& output : view_.graph().outputs) used[output.value.id] = true;
    for (const Node& node : view_.graph().nodes) {
      const uint32_t id = node.first_result.id;
      if (!known_.contains(id) && !masks_.contains(id)) visit_operands(node.op, [&](Ref ref) { used[ref.id] = true; });
    }
    std::erase_if(known_, [&](const auto& entry) { return !used[entry.first]; });
    return std::move(known_);
  }

 private:
  // A node that makes its result of attributes alone: it is added to whatever needs it.
  static bool creates(const Op& op) {
    bool has_operands = false;
    visit_operands(op, [&](Ref) { has_operands = true; });
    return !has_operands && stands_alone(op);
  }

  bool is_known(Ref ref) const {
    const Node* node = view_.maker(ref);
    return known_.contains(ref.id) || view_.constant(ref) || (node && creates(node->op));
  }

  bool foldable(const Node& node) const {
    if (creates(node.op) || !stands_alone(node.op) || node.op.opcode() == Opcode::ensure_shape) return false;
    bool known = true;
    visit_operands(node.op, [&](Ref ref) { known = known && is_known(ref); });
    return known && may_grow(node);
  }

  bool may_grow(const Node& node) const {
    const int64_t read = read_by(node);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      if (!grows_within(view_.type({node.first_result.id + i}), read, options_.growth_bytes)) return false;
    }
    return true;
  }

  bool is_mask(const Node& node) const {
    const Opcode opcode = node.op.opcode();
    if (opcode != Opcode::triangle && opcode != Opcode::compare) return false;
    return view_.type(node.first_result).rank() >= 2 && read_by(node) == 0;
  }

  int64_t read_by(Ref ref) const {
    if (const Tensor* weight = view_.constant(ref)) return static_cast<int64_t>(weight->bytes().size());
    const auto found = known_.find(ref.id);
    return found == known_.end() ? 0 : found->second.read;
  }

  int64_t read_by(const Node& node) const {
    int64_t read = 0;
    visit_operands(node.op, [&](Ref ref) { read = add_read(read, read_by(ref)); });
    return read;
  }

  void fold(const Node& node) {
    std::vector<Tensor> results;
    try {
      results = evaluate_(alone(node));
    } catch (const Error&) {
      return;  // it will fail, or take long, when the program runs
    }
    const int64_t read = read_by(node);
    for (uint32_t i = 0; i < node.result_count; ++i) {
      const Ref result{node.first_result.id + i};
      if (i >= results.size() || results[i].type() != view_.type(result)) {
        throw Error::mismatch(Code::internal, mnemonic(node.op), fmt::format("folded result {}", i),
                              i < results.size() ? to_string(results[i].type()) : "missing",
                              to_string(view_.type(result)));
      }
      known_.emplace(result.id, Known{results[i], read});
    }
  }

  // A program of this node, and what it needs.
  Program alone(const Node& node) const {
    ProgramBuilder program;
    GraphBuilder& graph = program.method("main");
    std::unordered_map<uint32_t, Ref> places;
    Op op = node.op;
    visit_operands(op, [&](Ref& ref) {
      const auto [place, added] = places.try_emplace(ref.id);
      if (added) place->second = bring(ref, program, graph);
      ref = place->second;
    });
    const std::vector<Var> results = graph.add(std::move(op));
    for (size_t i = 0; i < results.size(); ++i) graph.output(fmt::format("y{}", i), results[i]);
    return program.build();
  }

  Ref bring(Ref ref, ProgramBuilder& program, GraphBuilder& graph) const {
    const auto found = known_.find(ref.id);
    const Tensor* contents = found == known_.end() ? view_.constant(ref) : &found->second.contents;
    if (!contents) return graph.add(view_.maker(ref)->op).front().ref();
    return graph.weight(program.weight(Weight::of(fmt::format("{}", ref.id), *contents))).ref();
  }

  View view_;
  const Evaluate& evaluate_;
  const FoldOptions& options_;
  Contents known_;
  std::unordered_set<uint32_t> masks_;  // their results
};

// What stands for a folded value: one number, or a weight.
struct Folded {
  std::optional<Scalar> number;
  WeightId weight;
};
using FoldedValues = std::unordered_map<uint32_t, Folded>;

Folded add_constant(Program& program, FreeNames& names, const Graph& graph, Ref ref, const Tensor& contents) {
  if (const auto number = uniform_number(contents)) return {number, {}};
  const Value& value = graph.values[ref.id];
  const std::string name = value.name.empty() ? fmt::format("{}.{}", graph.name, ref.id) : value.name;
  const ContentHash hash = content_hash(contents);
  const WeightId id{static_cast<uint32_t>(program.weights.size())};
  program.weights.push_back(Weight::of(names.claim(name), contents, hash));
  return {std::nullopt, id};
}

Replacement replaced(const Site& site, const FoldedValues& folded) {
  std::optional<std::vector<Var>> results;
  for (uint32_t i = 0; i < site.node().result_count; ++i) {
    const auto found = folded.find(site.result(i).id);
    if (found == folded.end()) continue;
    if (!results) results = site.to().add(site.moved(site.node().op));
    const TensorType& type = site.result_type(i);
    const auto& [number, weight] = found->second;
    (*results)[i] = number ? site.to().full(type.shape, *number, {.dtype = type.dtype}) : site.to().weight(weight);
  }
  return results;
}

}  // namespace

Program fold_constants(const Program& program, const Evaluate& evaluate, const FoldOptions& options) {
  Program with_weights = program;
  FreeNames names(program.weights);
  std::unordered_map<const Graph*, FoldedValues> folded;
  for (size_t i = 0; i < program.graphs.size(); ++i) {
    FoldedValues& values = folded[&with_weights.graphs[i]];
    const Folding::Contents wanted = Folding(program, program.graphs[i], evaluate, options).wanted();
    for (uint32_t id = 0; id < program.graphs[i].values.size(); ++id) {  // in order, for names that do not change
      const auto found = wanted.find(id);
      if (found == wanted.end()) continue;
      values.emplace(id, add_constant(with_weights, names, program.graphs[i], {id}, found->second.contents));
    }
  }
  return rebuild(with_weights, [&](const Site& graph) -> Replace {
    const FoldedValues& values = folded.at(&graph.graph());
    return [&values](const Site& site) { return replaced(site, values); };
  });
}

}  // namespace ingot
