#include "import/onnx/growth.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

// How often a name is read, in inner graphs too, which may also mean another value of that name.
size_t uses_of(const GraphProto& graph, std::string_view name) {
  auto count = static_cast<size_t>(std::ranges::count(graph.output, name, &ValueInfoProto::name));
  for (const NodeProto& node : graph.node) {
    count += static_cast<size_t>(std::ranges::count(node.input, name));
    for (const AttributeProto& attribute : node.attribute) count += attribute.g ? uses_of(*attribute.g, name) : 0;
  }
  return count;
}

bool makes(const NodeProto& node, std::string_view name) {
  return node.output.size() == 1 && node.output[0] == name && canonical_domain(node.domain) == "ai.onnx";
}

// The node that only passes a carried value on, where one does.
std::vector<NodeProto>::const_iterator passing(const GraphProto& body, std::string_view carried) {
  return std::ranges::find_if(body.node, [&](const NodeProto& node) {
    const bool passes = node.op_type == "Cast" || node.op_type == "Identity";
    return passes && node.input.size() == 1 && node.input[0] == carried && node.output.size() == 1 &&
           canonical_domain(node.domain) == "ai.onnx";
  });
}

std::optional<Growth> growth_of(const GraphProto& body, size_t carried) {
  std::string_view before = body.input[carried + 2].name, after = body.output[carried + 1].name;
  if (uses_of(body, before) != 1) return std::nullopt;
  if (const auto pass = passing(body, before); pass != body.node.end()) before = pass->output[0];
  const auto maker = std::ranges::find_if(body.node, [&](const NodeProto& node) { return makes(node, after); });
  if (maker == body.node.end() || maker->op_type != "Concat" || maker->input.size() != 2) return std::nullopt;
  const auto place = std::ranges::find(maker->input, before);
  const auto axis = std::ranges::find(maker->attribute, "axis", &AttributeProto::name);
  if (place == maker->input.end() || axis == maker->attribute.end() || !axis->ref_attr_name.empty() ||
      uses_of(body, before) != 1 || uses_of(body, after) != 1) {
    return std::nullopt;
  }
  const bool in_front = place != maker->input.begin();
  return Growth{carried, maker->input[in_front ? 0 : 1], axis->i, in_front};
}

}  // namespace

std::vector<Growth> growths_of(const GraphProto& body, size_t carried) {
  std::vector<Growth> growths;
  for (size_t i = 0; i < carried; ++i) {
    if (const auto growth = growth_of(body, i)) growths.push_back(*growth);
  }
  return growths;
}

GraphProto scanning_pieces(GraphProto body, const std::vector<Growth>& growths) {
  for (auto growth = growths.rbegin(); growth != growths.rend(); ++growth) {  // from behind: places stay
    const auto at = static_cast<std::ptrdiff_t>(growth->carried);
    const std::string_view after = body.output[growth->carried + 1].name;
    if (const auto pass = passing(body, body.input[growth->carried + 2].name); pass != body.node.end()) {
      body.node.erase(pass);
    }
    std::erase_if(body.node, [&](const NodeProto& node) { return makes(node, after); });
    body.input.erase(body.input.begin() + at + 2);
    body.output.erase(body.output.begin() + at + 1);
  }
  for (const Growth& growth : growths) body.output.push_back({.name = growth.piece});
  return body;
}

Var as_piece(Var piece, const Shape& start, const Growth& growth) {
  const auto rank = static_cast<int64_t>(start.size()), axis = growth.axis < 0 ? growth.axis + rank : growth.axis;
  if (piece.type().rank() != rank || axis < 0 || axis >= rank) return piece;  // `grown` says so
  Shape shape = start;
  shape[static_cast<size_t>(axis)] = piece.dim(axis);
  return ensure(piece, shape);
}

Var grown(const Node& node, Var start, Var pieces, const Growth& growth) {
  GraphBuilder& graph = start.graph();
  const int64_t axis = axis_of(node, "axis", growth.axis, start.type().rank());
  if (pieces.type().rank() != start.type().rank() + 1) {
    node.malformed("a piece of Concat", to_string(pieces.shape()), "one axis more than the value that it makes longer");
  }
  if (growth.in_front) pieces = graph.flip(pieces, {0});
  std::vector<int64_t> order(pieces.shape().size());
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin(), order.begin() + 1, order.begin() + axis + 1);
  pieces = graph.transpose(pieces, order);
  Shape shape = pieces.shape();
  shape[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)] * shape[static_cast<size_t>(axis) + 1];
  shape.erase(shape.begin() + axis + 1);
  pieces = reshape(pieces, shape);
  return graph.concatenate(growth.in_front ? std::vector{pieces, start} : std::vector{start, pieces}, {.axis = axis});
}

}  // namespace ingot::onnx
