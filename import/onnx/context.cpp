#include "import/onnx/context.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/onnx/unsupported.h"
#include "program/dim_terms.h"

namespace ingot::onnx {
namespace {

// As an identifier: other characters become _, a digit in front gets one.
std::string sanitized(std::string_view name) {
  std::string result;
  for (const char c : name.substr(0, 200)) result += is_identifier_char(c) ? c : '_';
  if (!is_identifier(result)) result.insert(result.begin(), '_');
  return result;
}

size_t count_nodes(const std::vector<NodeProto>& nodes) {
  size_t count = nodes.size();
  for (const NodeProto& node : nodes) {
    for (const AttributeProto& attribute : node.attribute) {
      if (attribute.g) count += count_nodes(attribute.g->node);
    }
  }
  return count;
}

// A size as an i64 scalar. One that may be negative is the difference of two that are not.
Var size_var(GraphBuilder& graph, const Dim& size) {
  if (size.is_literal()) return graph.scalar(size.literal(), DType::i64);
  if (less_equal(0, size) == Proof::yes) return graph.size_of(size);
  Dim positive, negative;
  for (const DimTerm& term : size.terms()) {
    (term.coefficient > 0 ? positive : negative) =
        (term.coefficient > 0 ? positive : negative) + DimBuilder::sum({term});
  }
  return graph.size_of(positive) - graph.size_of(negative * -1);
}

Var symbolic_var(GraphBuilder& graph, const Symbolic& symbolic) {
  std::vector<Var> elements;
  elements.reserve(symbolic.elements.size());
  for (const Dim& element : symbolic.elements) elements.push_back(size_var(graph, element));
  Var all = elements.front();
  if (!symbolic.sizes.empty()) {
    for (Var& element : elements) element = graph.reshape(element, {1});
    all = elements.size() == 1 ? elements.front() : graph.concatenate(elements);
  }
  if (symbolic.sizes.size() > 1) all = graph.reshape(all, Shape(symbolic.sizes.begin(), symbolic.sizes.end()));
  return symbolic.dtype == DType::i64 ? all : graph.cast(all, symbolic.dtype);
}

}  // namespace

// -------------------------------------------------------------------------------------------------------- failures

void Failures::add(std::string op, std::string reason, std::string place) {
  const auto [entry, added] = index_.try_emplace({op, reason}, failures_.size());
  if (added) failures_.push_back({std::move(op), std::move(reason), {}});
  failures_[entry->second].places.push_back(std::move(place));
}

// --------------------------------------------------------------------------------------------------------- symbols

Symbol SymbolPool::declare(std::string_view name, int64_t min, int64_t max) {
  const size_t count = program_.program().symbols.size() + 1;
  if (count > most_) throw TooLarge("the number of symbols", fmt::format("{}", count), most_);
  return program_.symbol(names_.fresh(sanitized(name)), min, max);
}

Symbol SymbolPool::named(std::string_view name, int64_t min, int64_t max) {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return by_name_.emplace(name, declare(name, min, max)).first->second;
  return found->second;
}

// --------------------------------------------------------------------------------------------------------- weights

WeightId WeightPool::add(const Constant& constant) {
  const Tensor& tensor = constant.tensor;
  if (const auto found = by_place_.find(tensor.bytes().data()); found != by_place_.end()) {
    const Tensor& other = *program_.program().weights[found->second.id].tensor;
    if (other.dtype() == tensor.dtype() && other.sizes() == tensor.sizes()) return found->second;
  }
  const ContentHash hash = content_hash(tensor);
  const auto [entry, added] = by_contents_.try_emplace(hash);
  if (added) {
    const std::string name = names_.fresh(constant.name.empty() ? "constant" : constant.name);
    entry->second = program_.weight(Weight::of(name, tensor, hash));
    by_place_.emplace(tensor.bytes().data(), entry->second);
  }
  return entry->second;
}

// --------------------------------------------------------------------------------------------------------- context

std::string_view canonical_domain(std::string_view domain) { return domain.empty() ? "ai.onnx" : domain; }

std::string label_of(const std::string& prefix, const NodeProto& node) {
  std::string_view label = node.name;
  for (const std::string_view output : node.output) {
    if (label.empty()) label = output;
  }
  return prefix + std::string(label.empty() ? node.op_type : label);
}

Context::Context(const ModelProto& m, TensorReader reader, const ImportOptions& o, std::string f)
    : model(m),
      options(o),
      file(std::move(f)),
      tensors(std::move(reader)),
      functions(m),
      expansion(m, functions, o.limits),
      meter(o.evaluation),
      symbols(program, o.limits.symbols),
      nodes_total(count_nodes(m.graph.node)) {}

// n, where the elements are n, n + 1, …
static std::optional<int64_t> counts_from(const Tensor& tensor) {
  if (tensor.dtype() != DType::i64 || tensor.elements() < 2) return std::nullopt;
  const std::vector<int64_t> elements = integers_of(tensor);
  const auto gap = [](int64_t a, int64_t b) { return a >= b || b - 1 != a; };
  return std::ranges::adjacent_find(elements, gap) == elements.end() ? std::optional(elements.front()) : std::nullopt;
}

Var as_var(Context& context, Body& body, const Value& value) {
  GraphBuilder& graph = body.graph();
  if (const Var* var = value.var()) return body.bring(*var);
  if (const Symbolic* symbolic = value.symbolic()) {
    context.expansion.check_program(context.program.node_count() + symbolic->elements.size());
    return symbolic_var(graph, *symbolic);
  }
  if (value.coded()) dtype_of(value.coded()->data_type);  // which says that there is none
  if (value.sequence()) throw Unsupported("a sequence is used as a tensor");
  if (!value.constant()) throw Unsupported("a value that was left out is used as a tensor");
  const Constant& constant = *value.constant();
  // Exporters name a number of the computation, as an eps, in the same way as a parameter.
  const DType dtype = constant.tensor.dtype();
  const bool is_number = constant.tensor.elements() == 1 && kind(dtype) != Kind::storage;
  if (is_number && !context.options.parameters.contains(constant.name)) {
    return graph.full(constant.tensor.type().shape, scalar_of(constant.tensor), {.dtype = dtype});
  }
  // Positions as well.
  const auto first = constant.name.empty() ? counts_from(constant.tensor) : std::nullopt;
  if (first)
    return graph.reshape(graph.iota(constant.tensor.elements(), {.start = *first}), constant.tensor.type().shape);
  return graph.weight(context.weights.add(constant));
}

}  // namespace ingot::onnx
