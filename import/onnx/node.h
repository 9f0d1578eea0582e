// Node: what a handler sees of an ONNX node.
//
// Every read of an input or an attribute is recorded. What the file gives and the handler did not look at makes the node
// unsupported: nothing is accepted and ignored.
//
//   void gemm(Node& node, GraphBuilder& graph) {
//     const bool transpose_a = node.flag("transA", false);
//     Var y = graph.matmul(node.input(0), node.input(1), {.transpose_a = transpose_a, …});
//     if (const auto c = node.optional_input(2)) y = y + *c;
//     node.set(0, y);
//   }
//
// Ownership  lives while its handler runs; refers to the protos and the Scope.
// Threads    one thread at a time.
// Failure    Unsupported for what Ingot cannot express; Code::bad_file for what no ONNX file may hold, such as an
//            attribute of another type or a missing required input.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/onnx/scope.h"
#include "import/onnx/unsupported.h"
#include "import/onnx/value.h"

namespace ingot::onnx {

class Node {
 public:
  Node(const NodeProto& proto, std::string label, int64_t version, std::vector<Value> inputs, Scope& scope);

  const NodeProto& proto() const { return proto_; }
  std::string_view op() const { return proto_.op_type; }
  // The version of the opset that the file names for the op's domain.
  int64_t version() const { return version_; }
  // Name of the node, or of its first output.
  const std::string& label() const { return label_; }
  Scope& scope() const { return scope_; }
  Body& body() const { return scope_.body(); }
  GraphBuilder& graph() const { return body().graph(); }

  // ---- inputs, counted from 0
  size_t input_count() const { return inputs_.size(); }
  bool has(size_t i) const;
  // As it is; absent where the file leaves it out.
  const Value& value(size_t i);
  // dtype and shape, without making a value of the program.
  TensorType type(size_t i);
  int64_t rank(size_t i) { return type(i).rank(); }

  Var input(size_t i);
  std::optional<Var> optional_input(size_t i);
  // Those from `first` on, all there.
  std::vector<Var> inputs(size_t first = 0);

  // Contents that are known now; none where they depend on what the model is run with.
  std::optional<Tensor> find_constant(size_t i);
  // The same, or Unsupported.
  Tensor constant(size_t i);
  std::vector<int64_t> constant_integers(size_t i);
  // The only element.
  int64_t constant_integer(size_t i);
  Scalar constant_scalar(size_t i);
  // Integers that are known as expressions over symbols; none where they depend on data.
  std::optional<std::vector<Dim>> find_dims(size_t i);
  // The same; data become symbols that the program binds when it runs, the same ones wherever the value is used.
  std::vector<Dim> dims(size_t i);
  Dim dim(size_t i);
  // How many integers a scalar or list holds. Throws Unsupported where that is open, or more than a tensor has axes.
  int64_t length(size_t i);
  // The elements of an integer scalar or list, as data.
  std::vector<Var> elements(size_t i);
  // The tensors of a sequence.
  const std::vector<Value>& sequence(size_t i);

  // ---- attributes; without a default they are required
  bool has(std::string_view attribute) const;
  int64_t integer(std::string_view name, std::optional<int64_t> standard = {});
  bool flag(std::string_view name, bool standard) { return integer(name, standard ? 1 : 0) != 0; }
  double real(std::string_view name, std::optional<double> standard = {});
  std::string text(std::string_view name, std::optional<std::string_view> standard = {});
  std::optional<std::vector<int64_t>> integers(std::string_view name);
  std::optional<std::vector<double>> reals(std::string_view name);
  std::optional<std::vector<std::string>> texts(std::string_view name);
  std::optional<Tensor> tensor(std::string_view name);
  const GraphProto& subgraph(std::string_view name);
  DType dtype(std::string_view name, std::optional<DType> standard = {});
  // A text that is one of several words.
  template <class T>
  T choice(std::string_view name, std::string_view standard,
           std::initializer_list<std::pair<std::string_view, T>> choices) {
    const std::string word = text(name, standard);
    for (const auto& [key, value] : choices) {
      if (key == word) return value;
    }
    refuse_choice(name, word);
  }
  // An attribute that says nothing about the result. `why` is for the reader of the handler.
  void ignore(std::string_view name, std::string_view why);

  // The attribute `axes` of an op whose opset has them there; none where newer ones have an input for them.
  std::optional<std::vector<int64_t>> axes_attribute();
  // The same, or that input; none where neither is given.
  std::optional<std::vector<int64_t>> axes(size_t input);

  // ---- outputs
  size_t output_count() const { return proto_.output.size(); }
  // Whether anything in the file reads the output.
  bool wants(size_t i) const;
  void set(size_t i, Value value);

  // The graph of an attribute with its inputs; see Scope::run_graph.
  std::vector<Value> run(const GraphProto& graph, std::vector<Value> inputs, Body& in);
  // A value as data of some graph.
  Var as_var(const Value& value, Body& in) { return onnx::as_var(scope_.context(), in, value); }
  Var as_var(const Value& value) { return as_var(value, body()); }
  // A graph for control flow of another.
  GraphBuilder& add_graph(std::string_view name, GraphBuilder& caller);
  GraphBuilder& add_graph(std::string_view name, Body& caller) { return add_graph(name, caller.graph()); }
  GraphBuilder& add_graph(std::string_view name) { return add_graph(name, body()); }
  // Before the importer puts together a constant of so many numbers, which the file does not hold itself: it counts
  // towards the memory for evaluated constants. Throws Code::limit.
  void claim_constant(size_t numbers);
  // A symbol that the program binds to an integer scalar when it runs; then one below the minimum fails the call.
  Dim bind_size(Var scalar, int64_t minimum = 0);
  // A symbol of its own, for an op that binds one.
  SymbolId add_symbol(std::string_view what, int64_t min = 0, int64_t max = kUnbounded);
  const Symbol& symbol(SymbolId id) const;

  // What the function is called with, its defaults included. Throws Unsupported for an attribute that it has not.
  std::unordered_map<std::string_view, const AttributeProto*> attributes_for(const FunctionProto& function);

  // Throws Unsupported for an input or attribute that nobody looked at.
  void check_all_read() const;
  // The outputs, one for each name. Throws Unsupported where the handler did not set one that the file uses.
  std::vector<Value> take_outputs();
  // All reads and outputs forgotten, for another try.
  void reset();

  // `node 'conv1'`
  std::string place() const;
  [[noreturn]] void malformed(std::string_view subject, std::string actual, std::string expected) const;

 private:
  struct Attribute {
    std::string_view name;
    const AttributeProto* proto;
    bool read = false;
  };
  struct Input {
    Value value;
    bool read = false;
  };

  const AttributeProto* find(std::string_view name, AttributeType type);
  const AttributeProto& require(std::string_view name, AttributeType type);
  Input& given(size_t i);
  std::string input_label(size_t i) const;
  [[noreturn]] void refuse_choice(std::string_view name, const std::string& word) const;

  const NodeProto& proto_;
  std::string label_;
  int64_t version_;
  std::vector<Input> inputs_;
  std::vector<Attribute> attributes_;
  std::vector<std::optional<Value>> outputs_;
  Scope& scope_;
};

}  // namespace ingot::onnx
