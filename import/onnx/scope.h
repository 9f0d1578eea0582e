// Scope: the names of one ONNX graph, or of one call of a function, while its nodes are imported.
//
// A sub-graph is a Scope inside another and sees its names; the body of a function sees its own alone. Several Scopes can
// fill one Body: functions, and branches that are chosen while importing, are written in place.
//
// Ownership  refers to the protos, the Context, the Body and the enclosing Scope, which outlive it.
// Threads    one thread at a time.
// Failure    Code::bad_file for what no ONNX file may hold: a name that is defined twice, or used before it is defined.
//            A node that cannot be imported is noted in the Context, and what it defines becomes poison.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "import/onnx/context.h"
#include "import/onnx/order.h"

namespace ingot::onnx {

class Node;

// A name defined by a node that could not be imported is needed. Never leaves the importer.
struct Poisoned {};

// The versions of opsets, by domain.
using Opsets = std::unordered_map<std::string_view, int64_t>;
Opsets opsets_of(const std::vector<OperatorSetIdProto>& imports);

// What a function is called with; sub-graphs of its body look here too.
struct FunctionCall {
  Opsets opsets;
  std::unordered_map<std::string_view, const AttributeProto*> attributes;
};

class Scope {
 public:
  Scope(Context& context, Body& body, const FunctionCall& call, std::string prefix, Scope* parent = nullptr)
      : context_(context), body_(body), call_(call), prefix_(std::move(prefix)), parent_(parent) {}
  Scope(const Scope&) = delete;

  Context& context() const { return context_; }
  Body& body() const { return body_; }
  const FunctionCall& call() const { return call_; }
  // In front of the names of nodes, for places: empty, or `layer0/`.
  const std::string& prefix() const { return prefix_; }

  // Throws Code::bad_file where the name is taken.
  void define(std::string_view name, Value value);
  // The initializers of a graph, which are read when they are used.
  void define_initializers(const GraphProto& graph);
  bool has_initializer(std::string_view name) const { return stored_.contains(name) || stored_sparse_.contains(name); }
  // What the file says about values, to be compared with what inference says.
  void declare_types(const std::vector<ValueInfoProto>& infos);

  // Here or around; none where nothing of that name is defined yet.
  const Value* find(std::string_view name);
  // The node that defines a name, here or around; none for inputs and initializers.
  const NodeProto* maker_of(std::string_view name) const;

  // An output, which is read when the nodes have run.
  void read_later(std::string_view name) { read_later_.insert(name); }
  // In an order in which each finds what it reads.
  void run(const std::vector<NodeProto>& nodes);
  // Whether anything reads an output of one of the nodes.
  bool is_read(std::string_view name) const { return order_.readers.contains(name) || read_later_.contains(name); }

  // The nodes that read such an output; none where others may.
  std::vector<const NodeProto*> readers_of(std::string_view name) const;

  // A graph of an attribute, with its inputs: the outputs, as values of `body` or of what is around it. Throws Poisoned
  // where one of them could not be imported.
  std::vector<Value> run_graph(const GraphProto& graph, std::vector<Value> inputs, Body& body, std::string_view label);

  // The output of that name. Throws Code::bad_file where it is not defined.
  Value output(const ValueInfoProto& info);

 private:
  bool knows(std::string_view name) const;
  void run(const NodeProto& node);
  std::vector<Value> convert(const NodeProto& node, const std::string& label, std::vector<Value> inputs);
  void convert(Node& node, std::string_view domain);
  void call_function(Node& node, const FunctionProto& function);
  std::vector<Value> inputs_of(const NodeProto& node, const std::string& label);
  int64_t version_of(const NodeProto& node, const std::string& label) const;
  [[noreturn]] void undefined(const std::string& label, std::string_view name) const;
  void check_free(std::string_view name) const;
  void check_declared(std::string_view name, const Value& value) const;

  Context& context_;
  Body& body_;
  const FunctionCall& call_;
  std::string prefix_;
  Scope* parent_;
  std::unordered_map<std::string_view, Value> values_;
  std::unordered_map<std::string_view, const TensorProto*> stored_;
  std::unordered_map<std::string_view, const SparseTensorProto*> stored_sparse_;
  std::unordered_map<std::string_view, const TypeProto*> declared_;
  std::unordered_set<std::string_view> read_later_;
  Order order_;  // of the nodes of `run`
};

}  // namespace ingot::onnx
