#include "import/onnx/node.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/onnx/sizes.h"
#include "program/io/named_tensor.h"

namespace ingot::onnx {

Node::Node(const NodeProto& proto, std::string label, int64_t version, std::vector<Value> inputs, Scope& scope)
    : proto_(proto), label_(std::move(label)), version_(version), outputs_(proto.output.size()), scope_(scope) {
  for (Value& value : inputs) inputs_.push_back({std::move(value)});
  for (const AttributeProto& attribute : proto.attribute) {
    const AttributeProto* found = &attribute;
    if (!attribute.ref_attr_name.empty()) {
      const auto& given = scope.call().attributes;
      const auto argument = given.find(attribute.ref_attr_name);
      if (argument == given.end()) continue;  // the caller leaves it out
      found = argument->second;
    }
    if (has(attribute.name)) malformed(fmt::format("attribute {}", attribute.name), "given twice", "given once");
    attributes_.push_back({attribute.name, found});
  }
}

std::string Node::place() const { return fmt::format("node {}", quote(label_)); }

void Node::malformed(std::string_view subject, std::string actual, std::string expected) const {
  throw Error::mismatch(Code::bad_file, op(), subject, std::move(actual), std::move(expected)).at_node(label_);
}

// ---------------------------------------------------------------------------------------------------------- inputs

bool Node::has(size_t i) const { return i < inputs_.size() && !inputs_[i].value.is_absent(); }

std::string Node::input_label(size_t i) const {
  return i < proto_.input.size() ? fmt::format("input {} ({})", i, quote(proto_.input[i])) : fmt::format("input {}", i);
}

Node::Input& Node::given(size_t i) {
  if (!has(i)) malformed(input_label(i), "missing", "there");
  inputs_[i].read = true;
  return inputs_[i];
}

const Value& Node::value(size_t i) {
  static const Value absent;
  return has(i) ? given(i).value : absent;
}

TensorType Node::type(size_t i) {
  const Value& value = given(i).value;
  if (value.coded()) dtype_of(value.coded()->data_type);  // which says that there is none
  const auto type = type_of(value);
  if (!type) throw Unsupported(fmt::format("{} is a sequence", input_label(i)));
  return *type;
}

Var Node::input(size_t i) { return as_var(given(i).value); }

std::optional<Var> Node::optional_input(size_t i) { return has(i) ? std::optional(input(i)) : std::nullopt; }

std::vector<Var> Node::inputs(size_t first) {
  std::vector<Var> vars;
  for (size_t i = first; i < inputs_.size(); ++i) vars.push_back(input(i));
  return vars;
}

std::optional<Tensor> Node::find_constant(size_t i) {
  const Value& value = given(i).value;
  if (const Constant* constant = value.constant()) return constant->tensor;
  if (!value.var()) return std::nullopt;
  const TensorType& type = value.var()->type();
  if (const auto sizes = literal_sizes(type.shape); sizes && element_count(*sizes) == 0) {
    return Tensor::allocate(type.dtype, *sizes);  // without elements nothing is left to be known
  }
  return body().contents(*value.var());
}

Tensor Node::constant(size_t i) {
  if (auto tensor = find_constant(i)) return *std::move(tensor);
  const Var* var = given(i).value.var();
  const std::string why = var ? body().why_unknown(*var) : "";
  throw Unsupported(fmt::format("{} is computed when the model runs, and must be known before{}{}", input_label(i),
                                why.empty() ? "" : ": ", why));
}

std::vector<int64_t> Node::constant_integers(size_t i) {
  const Tensor tensor = constant(i);
  if (!is_integer(tensor.dtype())) malformed(input_label(i), to_string(tensor.type()), "integers");
  return integers_of(tensor);
}

int64_t Node::constant_integer(size_t i) {
  const std::vector<int64_t> all = constant_integers(i);
  if (all.size() != 1) malformed(input_label(i), fmt::format("{} elements", all.size()), "one");
  return all.front();
}

Scalar Node::constant_scalar(size_t i) {
  const Tensor tensor = constant(i);
  if (tensor.elements() != 1) malformed(input_label(i), to_string(tensor.type()), "one element");
  return scalar_of(tensor);
}

std::optional<std::vector<Dim>> Node::find_dims(size_t i) {
  const Value& value = given(i).value;
  std::optional<Symbolic> found = known(value);
  if (const Var* var = value.var()) {
    if (const auto contents = body().contents(*var)) found = known(*contents);
  }
  return found ? std::optional(std::move(found->elements)) : std::nullopt;
}

std::vector<Dim> Node::dims(size_t i) {
  if (auto known = find_dims(i)) return *std::move(known);
  const uint32_t id = input(i).ref().id;
  if (const auto bound = body().bound_sizes().find(id); bound != body().bound_sizes().end()) return bound->second;
  std::vector<Dim> dims;
  for (const Var& element : elements(i)) dims.push_back(bind_size(element));
  body().bound_sizes().emplace(id, dims);
  return dims;
}

int64_t Node::length(size_t i) {
  const TensorType list = type(i);
  const auto sizes = literal_sizes(list.shape);
  constexpr int64_t kMostSizes = 256;  // each becomes a node
  if (!is_integer(list.dtype) || !sizes || sizes->size() > 1 || element_count(*sizes) > kMostSizes) {
    throw Unsupported(fmt::format("{} is {}, from which no sizes can be taken", input_label(i), to_string(list)));
  }
  return element_count(*sizes);
}

std::vector<Var> Node::elements(size_t i) {
  length(i);
  return elements_of(input(i));
}

Dim Node::dim(size_t i) {
  const std::vector<Dim> all = dims(i);
  if (all.size() != 1) malformed(input_label(i), fmt::format("{} elements", all.size()), "one");
  return all.front();
}

const std::vector<Value>& Node::sequence(size_t i) {
  if (const std::vector<Value>* items = given(i).value.sequence()) return *items;
  throw Unsupported(fmt::format("{} is no sequence that is known while importing", input_label(i)));
}

void Node::claim_constant(size_t numbers) {
  scope_.context().meter.hold(element_count(Sizes{static_cast<int64_t>(numbers), sizeof(double)}));
}

Dim Node::bind_size(Var scalar, int64_t minimum) {
  const SymbolId size = add_symbol("size", minimum);
  graph().item(scalar, size);
  return symbol(size);
}

SymbolId Node::add_symbol(std::string_view what, int64_t min, int64_t max) {
  const std::string_view name = std::string_view(label_).substr(label_.rfind('/') + 1);
  const Symbol symbol = scope_.context().symbols.fresh(fmt::format("{}_{}", name, what), min, max);
  body().add_bound(symbol);
  return scope_.context().program.symbol_id(symbol.name());
}

const Symbol& Node::symbol(SymbolId id) const { return scope_.context().program.program().symbols[id.id]; }

// ------------------------------------------------------------------------------------------------------ attributes

bool Node::has(std::string_view attribute) const {
  return std::ranges::any_of(attributes_, [&](const Attribute& a) { return a.name == attribute; });
}

const AttributeProto* Node::find(std::string_view name, AttributeType type) {
  for (Attribute& attribute : attributes_) {
    if (attribute.name != name) continue;
    attribute.read = true;
    if (attribute.proto->type == type) return attribute.proto;
    malformed(fmt::format("attribute {}", name), std::string(to_string(attribute.proto->type)),
              std::string(to_string(type)));
  }
  return nullptr;
}

const AttributeProto& Node::require(std::string_view name, AttributeType type) {
  if (const AttributeProto* found = find(name, type)) return *found;
  malformed(fmt::format("attribute {}", name), "missing", std::string(to_string(type)));
}

int64_t Node::integer(std::string_view name, std::optional<int64_t> standard) {
  if (standard && !has(name)) return *standard;
  return require(name, AttributeType::integer).i;
}

double Node::real(std::string_view name, std::optional<double> standard) {
  if (standard && !has(name)) return *standard;
  return require(name, AttributeType::real).f;
}

std::string Node::text(std::string_view name, std::optional<std::string_view> standard) {
  return std::string(standard && !has(name) ? *standard : require(name, AttributeType::text).s);
}

std::optional<std::vector<int64_t>> Node::integers(std::string_view name) {
  const AttributeProto* found = find(name, AttributeType::integers);
  return found ? std::optional(found->ints) : std::nullopt;
}

std::optional<std::vector<double>> Node::reals(std::string_view name) {
  const AttributeProto* found = find(name, AttributeType::reals);
  return found ? std::optional(std::vector<double>(found->floats.begin(), found->floats.end())) : std::nullopt;
}

std::optional<std::vector<std::string>> Node::texts(std::string_view name) {
  const AttributeProto* found = find(name, AttributeType::texts);
  return found ? std::optional(std::vector<std::string>(found->strings.begin(), found->strings.end())) : std::nullopt;
}

std::optional<Tensor> Node::tensor(std::string_view name) {
  for (Attribute& attribute : attributes_) {
    if (attribute.name != name || attribute.proto->type != AttributeType::sparse_tensor) continue;
    attribute.read = true;
    if (!attribute.proto->sparse_tensor) return std::nullopt;
    return scope_.context().tensors.read(*attribute.proto->sparse_tensor);
  }
  const AttributeProto* found = find(name, AttributeType::tensor);
  if (!found || !found->t) return std::nullopt;
  return scope_.context().tensors.read(*found->t);
}

const GraphProto& Node::subgraph(std::string_view name) {
  const AttributeProto& found = require(name, AttributeType::graph);
  if (!found.g) malformed(fmt::format("attribute {}", name), "empty", "a graph");
  return *found.g;
}

DType Node::dtype(std::string_view name, std::optional<DType> standard) {
  if (standard && !has(name)) return *standard;
  return dtype_of(static_cast<int32_t>(require(name, AttributeType::integer).i));
}

void Node::refuse_choice(std::string_view name, const std::string& word) const {
  throw Unsupported(fmt::format("attribute {} is {}", name, quote(word)));
}

void Node::ignore(std::string_view name, std::string_view) {
  for (Attribute& attribute : attributes_) {
    if (attribute.name == name) attribute.read = true;
  }
}

std::optional<std::vector<int64_t>> Node::axes_attribute() {
  const bool late = op().starts_with("Reduce") && op() != "ReduceSum";
  return version() < (late ? 18 : 13) ? integers("axes") : std::nullopt;
}

std::optional<std::vector<int64_t>> Node::axes(size_t input) {
  if (auto listed = axes_attribute()) return listed;
  return has(input) ? std::optional(constant_integers(input)) : std::nullopt;
}

std::unordered_map<std::string_view, const AttributeProto*> Node::attributes_for(const FunctionProto& function) {
  std::unordered_map<std::string_view, const AttributeProto*> result;
  for (const AttributeProto& standard : function.attribute_proto) result.emplace(standard.name, &standard);
  for (Attribute& attribute : attributes_) {
    const bool takes = result.contains(attribute.name) ||
                       std::ranges::find(function.attribute, attribute.name) != function.attribute.end();
    if (!takes) throw Unsupported(fmt::format("the function takes no attribute {}", attribute.name));
    attribute.read = true;
    result.insert_or_assign(attribute.name, attribute.proto);
  }
  return result;
}

// --------------------------------------------------------------------------------------------------------- outputs

bool Node::wants(size_t i) const { return i < proto_.output.size() && scope_.is_read(proto_.output[i]); }

void Node::set(size_t i, Value value) {
  if (i < outputs_.size()) outputs_[i] = std::move(value);
}

void Node::check_all_read() const {
  for (const Attribute& attribute : attributes_) {
    if (!attribute.read) throw Unsupported(fmt::format("attribute {} is not understood", attribute.name));
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (has(i) && !inputs_[i].read) throw Unsupported(fmt::format("input {} is not understood", i));
  }
}

std::vector<Value> Node::take_outputs() {
  std::vector<Value> values;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (wants(i) && !outputs_[i]) throw Unsupported(fmt::format("output {} ({}) is not computed", i, proto_.output[i]));
    values.push_back(outputs_[i].value_or(Value()));
  }
  return values;
}

void Node::reset() {
  for (Attribute& attribute : attributes_) attribute.read = false;
  for (Input& input : inputs_) input.read = false;
  outputs_.assign(outputs_.size(), std::nullopt);
}

// ------------------------------------------------------------------------------------------------------ sub-graphs

std::vector<Value> Node::run(const GraphProto& proto, std::vector<Value> inputs, Body& in) {
  std::vector<Value> outputs = scope_.run_graph(proto, std::move(inputs), in, label_);
  // Nodes of the sub-graph may have been added to this graph.
  const std::string source = fmt::format("{}::{}-{}", canonical_domain(proto_.domain), op(), version_);
  graph().set_source({source, scope_.context().file});
  graph().set_node_name(label_);
  return outputs;
}

GraphBuilder& Node::add_graph(std::string_view name, GraphBuilder& caller) {
  Context& context = scope_.context();
  return context.program.inner_graph(fmt::format("{}_{}", name, context.graphs++), caller);
}

}  // namespace ingot::onnx
