#include "import/onnx/scope.h"

#include <fmt/format.h>

#include <algorithm>

#include "import/onnx/handlers.h"
#include "import/onnx/node.h"
#include "import/onnx/symbolic.h"
#include "program/io/named_tensor.h"

namespace ingot::onnx {
namespace {

// `ai.onnx::Gemm-13`
std::string source_op(const NodeProto& node, int64_t version) {
  return fmt::format("{}::{}-{}", canonical_domain(node.domain), node.op_type, version);
}

// What a file may not hold or lack stops the import; the rest is for the report.
bool is_fatal(Code code) { return code == Code::bad_file || code == Code::not_found || code == Code::io; }

std::string declared_text(const TypeProto& type) {
  std::string text(find_dtype(type.elem_type) ? to_string(*find_dtype(type.elem_type)) : "?");
  if (!type.shape) return text;
  std::vector<std::string> dims;
  for (const DimensionProto& dim : *type.shape) {
    dims.push_back(dim.value ? fmt::format("{}", *dim.value) : dim.param.empty() ? "?" : std::string(dim.param));
  }
  return fmt::format("{}[{}]", text, fmt::join(dims, ", "));
}

// dtype, rank and sizes that are certainly others. Sizes that the file leaves open or names say nothing here.
bool contradicts(const TensorType& type, const TypeProto& declared) {
  if (const auto dtype = find_dtype(declared.elem_type); dtype && *dtype != type.dtype) return true;
  if (!declared.shape) return false;
  if (declared.shape->size() != type.shape.size()) return true;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const auto& size = (*declared.shape)[i].value;
    if (size && *size >= 0 && equal(type.shape[i], *size) == Proof::no) return true;
  }
  return false;
}

}  // namespace

Opsets opsets_of(const std::vector<OperatorSetIdProto>& imports) {
  Opsets opsets;
  for (const OperatorSetIdProto& import : imports) {
    const std::string_view domain = canonical_domain(import.domain);
    if (const auto [known, added] = opsets.emplace(domain, import.version); !added && known->second != import.version) {
      throw Error(Code::bad_file, fmt::format("opset_import names the domain {} twice, with the versions {} and {}",
                                              domain, known->second, import.version));
    }
    if (domain != "ai.onnx" || (import.version >= kOldestOpset && import.version <= kNewestOpset)) continue;
    throw Error::mismatch(import.version < kOldestOpset ? Code::unsupported : Code::version, "",
                          "the opset version of ai.onnx", fmt::format("{}", import.version),
                          fmt::format("{} to {}, which this build reads", kOldestOpset, kNewestOpset));
  }
  return opsets;
}

// ----------------------------------------------------------------------------------------------------------- names

void Scope::check_free(std::string_view name) const {
  if (!values_.contains(name) && !has_initializer(name)) return;
  throw Error(Code::bad_file, fmt::format("the name {} is defined twice", quote(name)));
}

void Scope::define(std::string_view name, Value value) {
  check_free(name);
  values_.emplace(name, std::move(value));
}

void Scope::define_initializers(const GraphProto& graph) {
  for (const TensorProto& tensor : graph.initializer) {
    check_free(tensor.name);
    stored_.emplace(tensor.name, &tensor);
  }
  for (const SparseTensorProto& tensor : graph.sparse_initializer) {
    check_free(tensor.values.name);
    stored_sparse_.emplace(tensor.values.name, &tensor);
  }
}

void Scope::declare_types(const std::vector<ValueInfoProto>& infos) {
  for (const ValueInfoProto& info : infos) declared_.emplace(info.name, &info.type);
}

const Value* Scope::find(std::string_view name) {
  if (const auto found = values_.find(name); found != values_.end()) return &found->second;
  const auto read = [&](const auto& proto) {
    try {
      return Value(Constant{context_.tensors.read(proto), std::string(name)});
    } catch (const Unsupported& error) {
      context_.failures.add("initializer", error.message(), prefix_ + std::string(name));
      return Value(Poison{});
    }
  };
  if (const auto found = stored_.find(name); found != stored_.end()) {
    return &values_.emplace(name, read(*found->second)).first->second;
  }
  if (const auto found = stored_sparse_.find(name); found != stored_sparse_.end()) {
    return &values_.emplace(name, read(*found->second)).first->second;
  }
  return parent_ ? parent_->find(name) : nullptr;
}

bool Scope::knows(std::string_view name) const {
  return values_.contains(name) || has_initializer(name) || (parent_ && parent_->knows(name));
}

const NodeProto* Scope::maker_of(std::string_view name) const {
  const auto found = order_.makers.find(name);
  if (found != order_.makers.end()) return found->second;
  return parent_ ? parent_->maker_of(name) : nullptr;
}

std::vector<const NodeProto*> Scope::readers_of(std::string_view name) const {
  const auto found = order_.readers.find(name);
  return found == order_.readers.end() || read_later_.contains(name) ? std::vector<const NodeProto*>{} : found->second;
}

void Scope::undefined(const std::string& label, std::string_view name) const {
  for (const Scope* scope = this; scope; scope = scope->parent_) {
    const auto maker = scope->order_.makers.find(name);
    if (maker == scope->order_.makers.end()) continue;
    throw Error(Code::bad_file,
                fmt::format("node {} uses {}, which node {} defines only later: the nodes form a cycle", quote(label),
                            quote(name), quote(label_of(scope->prefix_, *maker->second))));
  }
  throw Error(Code::bad_file, fmt::format("node {} uses {}, which nothing defines", quote(label), quote(name)));
}

std::vector<Value> Scope::inputs_of(const NodeProto& node, const std::string& label) {
  std::vector<Value> inputs;
  for (const std::string_view name : node.input) {
    const Value* value = name.empty() ? nullptr : find(name);
    if (!value && !name.empty()) undefined(label, name);
    inputs.push_back(value ? *value : Value());
  }
  return inputs;
}

void Scope::check_declared(std::string_view name, const Value& value) const {
  const auto declared = declared_.find(name);
  const auto type = type_of(value);
  if (declared == declared_.end() || !type || declared->second->kind != TypeProto::Kind::tensor) return;
  if (!contradicts(*type, *declared->second)) return;
  throw Error::mismatch(Code::bad_file, "", fmt::format("value {}", quote(name)), to_string(*type),
                        fmt::format("{} as the file declares it", declared_text(*declared->second)));
}

// ----------------------------------------------------------------------------------------------------------- nodes

void Scope::run(const std::vector<NodeProto>& nodes) {
  order_ = order_of(nodes, [this](std::string_view name) { return knows(name); });
  for (const NodeProto* node : order_.nodes) {
    ++context_.nodes_done;
    if (context_.options.progress) context_.options.progress(context_.nodes_done, context_.nodes_total);
    run(*node);
  }
}

void Scope::run(const NodeProto& node) {
  const std::string label = label_of(prefix_, node);
  try {
    context_.expansion.spend(label);
    const std::vector<Value> outputs = convert(node, label, inputs_of(node, label));
    for (size_t i = 0; i < node.output.size(); ++i) {
      const std::string_view name = node.output[i];
      if (name.empty()) continue;
      const Var* var = outputs[i].var();
      if (var && &var->graph() == &body_.graph()) body_.name(*var, prefix_ + std::string(name));
      check_declared(name, outputs[i]);
      define(name, outputs[i]);
    }
    context_.expansion.check_program(context_.program.node_count());
  } catch (Error& error) {
    error.in_op(node.op_type).at_node(std::string_view(label).substr(0, context_.options.limits.name_bytes));
    throw;  // as what it is
  }
}

// The outputs of a node; all poison where it could not be imported.
std::vector<Value> Scope::convert(const NodeProto& proto, const std::string& label, std::vector<Value> inputs) {
  std::vector<Value> nothing(proto.output.size(), Poison{});
  if (std::ranges::any_of(inputs, &Value::is_poison)) return nothing;
  const int64_t version = version_of(proto, label);
  GraphBuilder& graph = body_.graph();
  graph.set_source({source_op(proto, version), context_.file});
  graph.set_node_name(label);
  try {
    Node node(proto, label, version, std::move(inputs), *this);
    if (const FunctionProto* function = context_.functions.find(proto)) {
      call_function(node, *function);
    } else {
      convert(node, canonical_domain(proto.domain));
    }
    return node.take_outputs();
  } catch (const Poisoned&) {
    return nothing;
  } catch (const TooLarge&) {
    throw;
  } catch (const Error& error) {
    if (is_fatal(error.code())) throw;
    const std::string reason =
        error.op().empty() ? error.message() : fmt::format("[{}] {}", error.op(), error.message());
    context_.failures.add(source_op(proto, version), reason, label);
    return nothing;
  }
}

void Scope::convert(Node& node, std::string_view domain) {
  if (domain == "ai.onnx" && fold_sizes(node)) return;
  node.reset();
  find_handler(domain, node.op(), node.version()).handle(node, body_.graph());
  node.check_all_read();
}

int64_t Scope::version_of(const NodeProto& node, const std::string& label) const {
  const std::string_view domain = canonical_domain(node.domain);
  if (const auto found = call_.opsets.find(domain); found != call_.opsets.end()) return found->second;
  throw Error(Code::bad_file, fmt::format("node {} is of the domain {}, which opset_import does not name", quote(label),
                                          quote(domain)));
}

// ------------------------------------------------------------------------------------------------------- functions

void Scope::call_function(Node& node, const FunctionProto& function) {
  const FunctionCall call{opsets_of(function.opset_import), node.attributes_for(function)};
  Scope inside(context_, body_, call, node.label() + "/");
  inside.declare_types(function.value_info);
  if (node.input_count() > function.input.size()) {
    node.malformed("the number of inputs", fmt::format("{}", node.input_count()),
                   fmt::format("at most {}", function.input.size()));
  }
  for (size_t i = 0; i < function.input.size(); ++i) inside.define(function.input[i], node.value(i));
  for (const std::string_view output : function.output) inside.read_later(output);
  inside.run(function.node);
  for (size_t i = 0; i < function.output.size() && i < node.output_count(); ++i) {
    const Value* output = inside.find(function.output[i]);
    if (!output) inside.undefined(node.label(), function.output[i]);
    if (output->is_poison()) throw Poisoned{};
    node.set(i, *output);
  }
}

// ------------------------------------------------------------------------------------------------------ sub-graphs

std::vector<Value> Scope::run_graph(const GraphProto& graph, std::vector<Value> inputs, Body& body,
                                    std::string_view label) {
  if (inputs.size() != graph.input.size()) {
    throw Error::mismatch(Code::bad_file, "", fmt::format("the number of inputs of graph {}", quote(graph.name)),
                          fmt::format("{}", graph.input.size()), fmt::format("{}", inputs.size()));
  }
  Scope inside(context_, body, call_, fmt::format("{}/", label), this);
  inside.define_initializers(graph);
  inside.declare_types(graph.value_info);
  inside.declare_types(graph.output);
  for (size_t i = 0; i < inputs.size(); ++i) inside.define(graph.input[i].name, std::move(inputs[i]));
  for (const ValueInfoProto& output : graph.output) inside.read_later(output.name);
  inside.run(graph.node);
  std::vector<Value> outputs;
  outputs.reserve(graph.output.size());
  for (const ValueInfoProto& info : graph.output) outputs.push_back(inside.output(info));
  if (std::ranges::any_of(outputs, &Value::is_poison)) throw Poisoned{};
  return outputs;
}

Value Scope::output(const ValueInfoProto& info) {
  const Value* value = find(info.name);
  if (!value) throw Error(Code::bad_file, fmt::format("the output {} is defined by no node", quote(info.name)));
  check_declared(info.name, *value);
  return *value;
}

}  // namespace ingot::onnx
