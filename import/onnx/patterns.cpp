#include "import/onnx/patterns.h"

#include <algorithm>

namespace ingot::onnx {
namespace {

// The only node of a graph besides constants, where it is of this op and makes the output.
const NodeProto* only_node(const GraphProto& graph, std::string_view op) {
  const NodeProto* found = nullptr;
  for (const NodeProto& node : graph.node) {
    if (node.op_type == "Constant") continue;
    if (found || node.op_type != op || node.input.empty() || node.output.empty()) return nullptr;
    found = &node;
  }
  return found && graph.output.size() == 1 && found->output[0] == graph.output[0].name ? found : nullptr;
}

std::optional<int64_t> only_integer(const std::optional<Tensor>& tensor) {
  if (!tensor || !is_integer(tensor->dtype()) || tensor->elements() != 1) return std::nullopt;
  return integers_of(*tensor)[0];
}

// The axis that a Squeeze of a branch drops.
std::optional<int64_t> squeezed_axis(Node& node, const GraphProto& branch, const NodeProto& squeeze) {
  for (const AttributeProto& attribute : squeeze.attribute) {
    if (attribute.name == "axes" && attribute.ints.size() == 1) return attribute.ints[0];
  }
  if (squeeze.input.size() < 2) return std::nullopt;
  const std::string_view name = squeeze.input[1];
  const auto maker = std::ranges::find_if(
      branch.node, [&](const NodeProto& other) { return other.output.size() == 1 && other.output[0] == name; });
  return only_integer(constant_in(node, branch, name, maker == branch.node.end() ? nullptr : &*maker));
}

// The axis of x whose size a condition compares with 1: Equal(Gather(Shape(x), axis), 1).
std::optional<int64_t> axis_compared(Node& node, std::string_view condition, std::string_view x) {
  const Scope& scope = node.scope();
  const auto made_by = [&](std::string_view name, std::string_view op, size_t inputs) -> const NodeProto* {
    const NodeProto* maker = scope.maker_of(name);
    return maker && maker->op_type == op && maker->input.size() == inputs ? maker : nullptr;
  };
  const auto number = [&](std::string_view name) -> std::optional<int64_t> {
    const Value* value = node.scope().find(name);
    return value && value->constant() ? only_integer(value->constant()->tensor) : std::nullopt;
  };
  const NodeProto* equal = made_by(condition, "Equal", 2);
  if (!equal || number(equal->input[1]) != 1) return std::nullopt;
  const NodeProto* gather = made_by(equal->input[0], "Gather", 2);
  const NodeProto* shape = gather ? made_by(gather->input[0], "Shape", 1) : nullptr;
  return shape && shape->attribute.empty() && shape->input[0] == x ? number(gather->input[1]) : std::nullopt;
}

}  // namespace

std::optional<Tensor> constant_in(Node& node, const GraphProto& graph, std::string_view name, const NodeProto* maker) {
  TensorReader& tensors = node.scope().context().tensors;
  for (const TensorProto& tensor : graph.initializer) {
    if (tensor.name == name) return tensors.read(tensor);
  }
  if (maker) {
    const bool plain = maker->op_type == "Constant" && maker->attribute.size() == 1 && maker->attribute[0].t;
    return plain ? std::optional(tensors.read(*maker->attribute[0].t)) : std::nullopt;
  }
  const Value* outside = node.scope().find(name);
  return outside && outside->constant() ? std::optional(outside->constant()->tensor) : std::nullopt;
}

bool is_open_squeeze(Node& node, const GraphProto& on_true, const GraphProto& on_false) {
  const NodeProto *squeeze = only_node(on_true, "Squeeze"), *identity = only_node(on_false, "Identity");
  if (!squeeze || !identity || squeeze->input[0] != identity->input[0]) return false;
  const auto dropped = squeezed_axis(node, on_true, *squeeze);
  return dropped && axis_compared(node, node.proto().input[0], squeeze->input[0]) == dropped;
}

}  // namespace ingot::onnx
