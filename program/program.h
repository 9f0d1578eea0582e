// Program: what to compute. Symbols, weights, state, and graphs; the exported graphs are its methods.
//
// Ownership  a plain value. Weight bytes are shared buffers, often of a mapped file, so a copy costs metadata only.
// Threads    treat a built Program as immutable; then any number of threads may read it.
// Failure    a Program that came from ProgramBuilder, parse_text or load_program has passed `verify`. One that was put
//            together or changed by hand has not: call `verify` (program/verify.h) before an engine sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "program/op.h"
#include "program/ref.h"
#include "program/tensor.h"
#include "program/type.h"

namespace ingot {

struct Value {
  ValueKind kind = ValueKind::input;
  uint32_t index = 0;  // input: position; weight: WeightId; result: the node
  TensorType type;
  std::string name;  // without %; empty: printed as its number
};

// Where a node came from: the op and the file of the source model.
struct Source {
  std::string op;
  std::string file;
  bool operator==(const Source&) const = default;
};

struct Node {
  Op op;
  Ref first_result;  // results are consecutive
  uint32_t result_count = 1;
  std::string name;
  Source source;
};

struct Output {
  std::string name;
  Ref value;
};

// One typed dataflow graph. Nodes are in an order of execution: a node uses inputs, weights and earlier results.
// Nodes that touch the same state take effect in this order.
struct Graph {
  std::string name;
  bool exported = false;
  std::vector<Value> values;
  std::vector<Ref> inputs;
  std::vector<Output> outputs;
  std::vector<Node> nodes;

  const TensorType& type(Ref ref) const { return values[ref.id].type; }
};

struct ContentHash {
  uint64_t low = 0, high = 0;
  auto operator<=>(const ContentHash&) const = default;
};

// Where a weight is kept when it is not in the program's own file.
struct ExternalTensor {
  std::string file;  // a safetensors file beside the program
  std::string tensor;
  bool operator==(const ExternalTensor&) const = default;
};

// A weight with contents (`tensor`), one that begins as zeros, or one that the host fills before the first call that
// reads it (Executable::set_param).
struct Weight {
  std::string name;
  TensorType type;               // every size a literal
  std::optional<Tensor> tensor;  // of that type
  ContentHash hash;              // over dtype, shape, scheme and bytes of the tensor
  std::optional<ExternalTensor> external;
  bool zeros = false;  // only without a tensor

  // One with contents.
  static Weight of(std::string name, Tensor tensor, ContentHash hash = {}, std::optional<ExternalTensor> external = {});
  WeightContents contents() const {
    if (tensor) return WeightContents::stored;
    return zeros ? WeightContents::zeros : WeightContents::none;
  }
  // Whether only the host has the contents.
  bool is_missing() const { return contents() == WeightContents::none; }
};

// The contents that the weight begins with, which zeros are allocated for; none for a missing one.
std::optional<Tensor> contents_of(const Weight& weight);

struct State {
  std::string name;
  TensorType type;                  // every size a literal
  std::optional<WeightId> initial;  // absent: zeros
};

struct Program {
  std::vector<Symbol> symbols;
  std::vector<Weight> weights;
  std::vector<State> states;
  std::vector<Graph> graphs;  // a graph calls only graphs before it

  // By name; none where there is no such thing.
  const Graph* method(std::string_view name) const;
  std::vector<std::string> method_names() const;
};

// XXH3-128 over dtype, shape, scheme and bytes: the identity of a weight's contents.
ContentHash content_hash(const Tensor& tensor);
std::string to_string(const ContentHash& hash);  // 32 hex digits

// `exp`, `reduce_sum`, `matmul`: the op's name in the text form and in messages.
std::string mnemonic(const Op& op);
// Where a node stands, for messages: `forward: %h "layer0/MatMul"`.
std::string place_of(const Graph& graph, const Node& node);

enum class Effects { pure, reads_state, writes_state };
// What each graph does to state, the graphs that it calls included.
std::vector<Effects> graph_effects(const Program& program);
// What a node does; for control flow, the most that its graphs do.
Effects effects(const Op& op, std::span<const Effects> of_graphs);

}  // namespace ingot
