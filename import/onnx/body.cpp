#include "import/onnx/body.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/onnx/evaluate.h"
#include "passes/effects.h"
#include "passes/operands.h"
#include "program/error.h"

namespace ingot::onnx {

// -------------------------------------------------------------------------------------------------------- captures

Var Body::input(std::string_view name, TensorType type) { return graph_.input(fresh_name(name), std::move(type)); }

Var Body::bring(Var var) {
  if (&var.graph() == &graph_) return var;
  return captured_[group_->capture(group_->outer().bring(var))];
}

size_t Bodies::capture(Var outer) {
  const auto [entry, added] = positions_.try_emplace(outer.ref().id, captures_.size());
  if (added) {
    captures_.push_back(outer);
    const std::string& name = outer.graph().graph().values[outer.ref().id].name;
    for (Body& body : bodies_) {
      body.captured_.push_back(body.input(name.empty() ? "captured" : name, outer.type()));
      body.capture_of_.emplace(body.captured_.back().ref().id, entry->second);
    }
  }
  return entry->second;
}

bool Body::binds_in(const Dim& size) const {
  std::vector<Symbol> symbols;
  collect_symbols(size, symbols);
  return std::ranges::any_of(symbols, [&](const Symbol& symbol) { return bound_.contains(symbol.name()); });
}

void Body::name(Var var, std::string_view name) {
  const ingot::Value& value = graph_.graph().values[var.ref().id];
  if (name.empty() || value.kind != ValueKind::result || !value.name.empty()) return;
  graph_.name_value(var, fresh_name(name));
}

// ------------------------------------------------------------------------------------------------------- constants

// Operands have lower ids than results, so they are judged before.
bool Body::judge(Ref ref) {
  const Graph& graph = graph_.graph();
  const ingot::Value& value = graph.values[ref.id];
  if (value.kind == ValueKind::weight) return true;
  if (value.kind == ValueKind::input) {
    const auto capture = capture_of_.find(ref.id);
    return capture != capture_of_.end() && group_->outer().is_constant(group_->captures()[capture->second].ref());
  }
  const Op& op = graph.nodes[value.index].op;
  bool constant = stands_alone(op);
  visit_operands(op, [&](Ref operand) { constant = constant && constant_[operand.id]; });
  return constant;
}

bool Body::is_constant(Ref ref) {
  while (constant_.size() <= ref.id) constant_.push_back(judge({static_cast<uint32_t>(constant_.size())}));
  return constant_[ref.id];
}

// What evaluating another value need not compute again; throws where that failed before.
std::optional<Tensor> Body::known_contents(Ref ref) {
  if (const auto capture = capture_of_.find(ref.id); capture != capture_of_.end()) {
    const Var outer = group_->captures()[capture->second];
    auto contents = group_->outer().contents(outer);
    if (!contents) throw Error(Code::limit, group_->outer().why_unknown(outer));
    return contents;
  }
  const auto found = evaluated_.find(ref.id);
  if (found == evaluated_.end()) return std::nullopt;
  if (!found->second.contents) throw Error(Code::limit, found->second.failure);
  return found->second.contents;
}

std::optional<Tensor> Body::contents(Var var) {
  if (&var.graph() != &graph_) return group_->outer().contents(var);
  const Ref ref = var.ref();
  if (!is_constant(ref)) return std::nullopt;
  if (const auto found = evaluated_.find(ref.id); found != evaluated_.end()) return found->second.contents;
  Evaluated result;
  try {
    const auto known = [this](Ref x) { return known_contents(x); };
    result.contents = evaluate(program_.program(), graph_.graph(), ref, known, meter_);
  } catch (const Error& error) {
    result.failure = error.what();  // the node says so again when it runs
  }
  return evaluated_.emplace(ref.id, std::move(result)).first->second.contents;
}

std::string Body::why_unknown(Var var) const {
  if (&var.graph() != &graph_) return group_->outer().why_unknown(var);
  const auto found = evaluated_.find(var.ref().id);
  return found == evaluated_.end() ? "" : found->second.failure;
}

}  // namespace ingot::onnx
