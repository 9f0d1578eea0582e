// Inference of control flow: the graphs take and return what the op says. Sub-graphs share the caller's symbols, so
// types are compared as they are.
#include "program/infer.h"

namespace ingot {
namespace {

TensorType predicate() { return {DType::bool_, {}, {}}; }

void append(Types& types, const Scope& s, const std::vector<Ref>& refs) {
  for (Ref ref : refs) types.push_back(s.type(ref));
}

Types outputs_of(const Graph& graph) {
  Types types;
  for (const Output& output : graph.outputs) types.push_back(graph.type(output.value));
  return types;
}

// `field` names the attribute of the op that holds the graph.
void require_inputs(const Scope& s, std::string_view field, const Graph& graph, const Types& expected) {
  require_count(s, fmt::format("number of inputs of {} '{}'", field, graph.name), graph.inputs.size(), expected.size(),
                "what the op passes");
  for (size_t i = 0; i < expected.size(); ++i) {
    const TensorType& declared = graph.type(graph.inputs[i]);
    if (equal(expected[i], declared) == Proof::yes) continue;
    require_type(s, fmt::format("value {} passed to {} '{}'", i, field, graph.name), expected[i], declared,
                 "what the graph declares");
  }
}

// A loop runs its body on its own results: each carry leaves as it came.
void require_carry_kept(const Scope& s, const Types& before, const Types& after) {
  for (size_t i = 0; i < before.size(); ++i) {
    if (equal(after[i], before[i]) == Proof::yes) continue;
    require_type(s, fmt::format("carry {} after the body", i), after[i], before[i], "its type before");
  }
}

// The type of one slice of xs along axis 0.
TensorType slice_of(const Scope& s, const TensorType& x, const Dim& length) {
  require_kind(s, "dtype of xs", x.dtype, kinds::computable);
  require_at_least(s, "rank of xs", x.rank(), 1);
  require_equal(s, "axis 0 of xs", x.shape[0], length, "length");
  return {x.dtype, {x.shape.begin() + 1, x.shape.end()}, {}};
}

TensorType stacked(const Scope& s, const TensorType& y, const Dim& length) {
  require_kind(s, "dtype of ys", y.dtype, kinds::computable);
  TensorType type{y.dtype, {length}, {}};
  type.shape.insert(type.shape.end(), y.shape.begin(), y.shape.end());
  return type;
}

}  // namespace

static Types rule(const op::If& op, const Scope& s) {
  require_type(s, "condition", s.type(op.condition), predicate());
  const Graph &on_true = s.callee(op.on_true), &on_false = s.callee(op.on_false);
  Types captures;
  append(captures, s, op.captures);
  require_inputs(s, "on_true", on_true, captures);
  require_inputs(s, "on_false", on_false, captures);
  Types results = outputs_of(on_true);
  const Types others = outputs_of(on_false);
  require_count(s, "number of results of on_false", others.size(), results.size(), "as on_true");
  for (size_t i = 0; i < results.size(); ++i) {
    if (equal(others[i], results[i]) == Proof::yes) continue;
    require_type(s, fmt::format("result {} of on_false", i), others[i], results[i], "as on_true");
  }
  return results;
}

static Types rule(const op::While& op, const Scope& s) {
  Types carry, passed;
  append(carry, s, op.carry);
  passed = carry;
  append(passed, s, op.captures);
  const Graph &condition = s.callee(op.condition), &body = s.callee(op.body);
  require_inputs(s, "condition", condition, passed);
  require_count(s, "number of results of condition", condition.outputs.size(), 1, "a bool[]");
  require_type(s, "result of condition", outputs_of(condition)[0], predicate());
  require_inputs(s, "body", body, passed);
  require_count(s, "number of results of body", body.outputs.size(), carry.size(), "the carry");
  require_carry_kept(s, carry, outputs_of(body));
  if (op.max_trips && *op.max_trips < 0) {
    s.refuse("max_trips", fmt::format("{}", *op.max_trips), "at least 0", Code::out_of_range);
  }
  return carry;
}

// carry..., then [length, ...] for each further result of the body
static Types rule(const op::Scan& op, const Scope& s) {
  require_at_least(s, "length", op.length, 0);
  Types results, passed;
  append(results, s, op.carry);
  passed = results;
  for (Ref x : op.xs) passed.push_back(slice_of(s, s.type(x), op.length));
  append(passed, s, op.captures);
  const Graph& body = s.callee(op.body);
  require_inputs(s, "body", body, passed);
  const Types returned = outputs_of(body);
  if (returned.size() < results.size()) {
    s.refuse("number of results of body", fmt::format("{}", returned.size()),
             fmt::format("at least {} (the carry)", results.size()));
  }
  require_carry_kept(s, results, returned);
  for (size_t i = results.size(); i < returned.size(); ++i) results.push_back(stacked(s, returned[i], op.length));
  return results;
}

static Types rule(const op::Call& op, const Scope& s) {
  Types operands;
  append(operands, s, op.operands);
  require_inputs(s, "graph", s.callee(op.graph), operands);
  return outputs_of(s.callee(op.graph));
}

INGOT_RULES(control)

}  // namespace ingot
