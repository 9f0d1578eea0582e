// Rewriting: a program from a program, node by node, by a table of rules.
//
//   // x·1 = x
//   std::optional<Var> mul_one(const op::Binary& op, const Site& site) {
//     if (op.fn != BinaryFn::mul || !site.is_number(op.b, 1) || site.type(op.a) != site.result_type()) return {};
//     return site(op.a);
//   }
//   const Rule rules[] = {rule<mul_one>("mul_one", "x·1 → x")};
//   Program better = rewrite(program, rules);
//
// A rule looks at the old graph (View) from a root, the node that it would replace, to what makes its operands, and
// builds the replacement in the new graph. site(ref) is an old value in the new graph, already rewritten; every value
// that is defined before the root can be used. The inner nodes of a match are copied like all others, and dropped
// afterwards if nothing else uses them. So a rule never asks whether it may read a value, only whether it pays
// (View::uses).
//
// What a rule gives back has the type of the root, symbol by symbol, or the match is given up: what the nodes behind it
// have proven of sizes may rest on how they are written. It is given up as well where inference refuses a new node: a
// size that cannot be proven, say. A replacement stands where the root stood, so it is no place for the effects of
// inner nodes: it may do to state what the root does, and nothing that the root does not.
//
// Names of inputs, outputs and values stay; new nodes carry name and source of the root.
//
// Ownership  values; a Site is the rewriter's, valid during the call of a rule.
// Threads    pure functions.
// Failure    Code::internal, with the rule's name, for a replacement of another dtype or rank or with effects of its
//            own; what `verify` throws.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "passes/effects.h"
#include "passes/view.h"
#include "program/decompose.h"

namespace ingot {

// Where a rule is tried.
class Site : public View {
 public:
  Site(const Program& program, const Graph& graph, IsConstant is_constant, GraphBuilder& to);

  const Node& node() const { return *node_; }  // the root
  Ref result(uint32_t i = 0) const { return {node_->first_result.id + i}; }
  const TensorType& result_type(uint32_t i = 0) const { return type(result(i)); }

  // The graph under construction.
  GraphBuilder& to() const { return to_; }
  Var operator()(Ref ref) const { return values_[ref.id].value(); }
  std::optional<Var> operator()(const std::optional<Ref>& ref) const {
    return ref ? std::optional((*this)(*ref)) : std::nullopt;
  }
  std::vector<Var> operator()(const std::vector<Ref>& refs) const;
  // An op of the old graph on the values of the new one.
  Op moved(Op op) const;

 private:
  friend class GraphCopy;
  GraphBuilder& to_;
  const Node* node_ = nullptr;
  std::vector<std::optional<Var>> values_;  // by value of the old graph
};

// The results of a node in the new graph; none where it is copied as it is.
using Replacement = std::optional<std::vector<Var>>;
using Replace = std::function<Replacement(const Site&)>;

// A copy of the program through the builder. `of_graph` is asked once for every graph, and what it gives at every node.
Program rebuild(const Program& program, const std::function<Replace(const Site&)>& of_graph,
                const IsConstant& is_constant = {});

struct Rule {
  std::string_view name;     // unique among all rules
  std::string_view meaning;  // in one line: `reshape(reshape(x)) → reshape(x)`
  Opcode root;
  Replacement (*apply)(const Site& site);
};

namespace detail {
template <class O, class R>
O root_of(R (*)(const O&, const Site&));
inline Replacement results(std::optional<Var> var) { return var ? Replacement(std::vector{*var}) : std::nullopt; }
inline Replacement results(Replacement vars) { return vars; }
}  // namespace detail

// A rule from a function of its root: `std::optional<Var> f(const op::X&, const Site&)`, or Replacement where the root
// has several results.
template <auto f>
constexpr Rule rule(std::string_view name, std::string_view meaning) {
  using Root = decltype(detail::root_of(f));
  return {name, meaning, Root::opcode,
          [](const Site& site) { return detail::results(f(*site.node().op.template get_if<Root>(), site)); }};
}

// Told of every replacement that is made.
using OnApplied = std::function<void(const Rule& rule, const Graph& graph, const Node& root)>;

struct RewriteOptions {
  IsConstant is_constant;
  OnApplied on_applied;
  int sweeps = 32;  // over the program, at most; the last one that changes nothing ends it earlier
};

// The rules of a table, the first that applies at each node, until none does. Where one applied, what nothing uses is
// dropped (passes/dce.h); else the program is as it was.
Program rewrite(Program program, std::span<const Rule> rules, const RewriteOptions& options = {});

}  // namespace ingot
