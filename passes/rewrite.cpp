#include "passes/rewrite.h"

#include <fmt/format.h>

#include <array>

#include "passes/dce.h"
#include "passes/operands.h"
#include "program/error.h"

namespace ingot {

Site::Site(const Program& program, const Graph& graph, IsConstant is_constant, GraphBuilder& to)
    : View(program, graph, std::move(is_constant)), to_(to), values_(graph.values.size()) {}

std::vector<Var> Site::operator()(const std::vector<Ref>& refs) const {
  std::vector<Var> vars;
  for (const Ref ref : refs) vars.push_back((*this)(ref));
  return vars;
}

Op Site::moved(Op op) const {
  visit_operands(op, [this](Ref& ref) { ref = (*this)(ref).ref(); });
  return op;
}

// One graph on its way into the builder.
class GraphCopy {
 public:
  GraphCopy(const Program& program, const Graph& from, const IsConstant& is_constant, GraphBuilder& to)
      : from_(from), to_(to), site_(program, from, is_constant, to) {}

  void run(const std::function<Replace(const Site&)>& of_graph) {
    for (const Ref input : from_.inputs) put(input, to_.input(from_.values[input.id].name, from_.type(input)));
    for (uint32_t id = 0; id < from_.values.size(); ++id) {
      if (from_.values[id].kind == ValueKind::weight) put({id}, to_.weight({from_.values[id].index}));
    }
    const Replace replace = of_graph(site_);
    for (const Node& node : from_.nodes) add(node, replace);
    for (const Output& output : from_.outputs) to_.output(output.name, site_(output.value));
  }

 private:
  void add(const Node& node, const Replace& replace) {
    to_.set_node_name(node.name);
    to_.set_source(node.source);
    site_.node_ = &node;
    Replacement results = replace(site_);
    if (!results) results = to_.add(site_.moved(node.op));
    for (uint32_t i = 0; i < node.result_count; ++i) put({node.first_result.id + i}, (*results)[i]);
  }

  // A replacement may be a value that has its name already; weights go by that of the program.
  void put(Ref ref, Var var) {
    const std::string& name = from_.values[ref.id].name;
    const Value& present = to_.graph().values[var.ref().id];
    const bool nameless =
        present.name.empty() && (present.kind != ValueKind::weight || from_.values[ref.id].kind == ValueKind::weight);
    if (!name.empty() && nameless) to_.name_value(var, name);
    site_.values_[ref.id] = var;
  }

  const Graph& from_;
  GraphBuilder& to_;
  Site site_;
};

Program rebuild(const Program& program, const std::function<Replace(const Site&)>& of_graph,
                const IsConstant& is_constant) {
  ProgramBuilder builder;
  for (const Symbol& symbol : program.symbols) builder.symbol(symbol.name(), symbol.min(), symbol.max());
  for (const Weight& weight : program.weights) builder.weight(weight);
  for (const State& state : program.states) builder.state(state.name, state.type, state.initial);
  for (const Graph& graph : program.graphs) {
    GraphBuilder& to = graph.exported ? builder.method(graph.name) : builder.graph(graph.name);
    GraphCopy(program, graph, is_constant, to).run(of_graph);
  }
  return builder.build();
}

// ------------------------------------------------------------------------------------------------------------- rules

namespace {

using RulesOfRoot = std::array<std::vector<const Rule*>, kOpCount>;

[[noreturn]] void refuse(const Rule& rule, std::string_view subject, std::string actual, std::string expected) {
  throw Error::mismatch(Code::internal, "", fmt::format("{} of rule {}", subject, rule.name), std::move(actual),
                        std::move(expected));
}

// The rules at every node of one program, and how often one applied.
class Sweep {
 public:
  Sweep(const Program& program, const RulesOfRoot& rules, const RewriteOptions& options)
      : program_(program), rules_(rules), options_(options), effects_(program) {}

  Program run() {
    Replace replace = [this](const Site& site) { return tried(site); };
    return rebuild(program_, [&](const Site&) { return replace; }, options_.is_constant);
  }
  size_t applied() const { return applied_; }

 private:
  Replacement tried(const Site& site) {
    for (const Rule* rule : rules_[site.node().op.index()]) {
      if (Replacement results = tried(*rule, site)) {
        ++applied_;
        if (options_.on_applied) options_.on_applied(*rule, site.graph(), site.node());
        return results;
      }
    }
    return std::nullopt;
  }

  Replacement tried(const Rule& rule, const Site& site) const {
    const size_t before = site.to().graph().nodes.size();
    Replacement results;
    try {
      results = rule.apply(site);
    } catch (const Error& error) {
      if (error.code() == Code::internal) throw;
      return std::nullopt;  // inference refused a new node
    }
    if (!results) return std::nullopt;
    check_effects(rule, site, before);
    return fits(rule, site, *results) ? results : std::nullopt;
  }

  void check_effects(const Rule& rule, const Site& site, size_t before) const {
    const std::vector<Node>& nodes = site.to().graph().nodes;
    const Op& root = site.node().op;
    for (size_t i = before; i < nodes.size(); ++i) {
      const Op& op = nodes[i].op;
      if (effects_.state(op) <= effects_.state(root) && (effects_.may_drop(op) || !effects_.may_drop(root))) continue;
      refuse(rule, "a new node", mnemonic(op), fmt::format("one without effects that {} has not", mnemonic(root)));
    }
  }

  static bool fits(const Rule& rule, const Site& site, const std::vector<Var>& results) {
    if (results.size() != site.node().result_count) {
      refuse(rule, "the number of results", fmt::format("{}", results.size()),
             fmt::format("{}", site.node().result_count));
    }
    bool same = true;
    for (uint32_t i = 0; i < results.size(); ++i) {
      const TensorType &actual = results[i].type(), &wanted = site.result_type(i);
      if (actual.dtype != wanted.dtype || actual.scheme != wanted.scheme || actual.rank() != wanted.rank()) {
        refuse(rule, fmt::format("result {}", i), to_string(actual), to_string(wanted));
      }
      same = same && actual.shape == wanted.shape;
    }
    return same;
  }

  const Program& program_;
  const RulesOfRoot& rules_;
  const RewriteOptions& options_;
  const NodeEffects effects_;
  size_t applied_ = 0;
};

}  // namespace

Program rewrite(Program program, std::span<const Rule> rules, const RewriteOptions& options) {
  RulesOfRoot of_root;
  for (const Rule& rule : rules) of_root[static_cast<size_t>(rule.root)].push_back(&rule);
  for (int i = 0; i < options.sweeps; ++i) {
    Sweep sweep(program, of_root, options);
    Program next = sweep.run();
    if (sweep.applied() == 0) return program;
    program = drop_unused(next);
  }
  return program;
}

}  // namespace ingot
