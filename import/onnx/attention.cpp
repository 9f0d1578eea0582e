#include "import/onnx/attention.h"

#include <fmt/format.h>

#include <limits>

#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {

// ----------------------------------------------------------------------------------------------------------- heads

Var split_heads(const Node& node, Var x, int64_t heads) {
  if (x.shape().size() != 3) node.malformed("rank of what has heads", fmt::format("{}", x.shape().size()), "3");
  const Dim size = x.dim(2);
  if (heads < 1 || (size.is_literal() && size.literal() % heads != 0)) {
    node.malformed("number of heads", fmt::format("{}", heads), fmt::format("a divisor of {}", to_string(size)));
  }
  const Var parts = reshape(x, {x.dim(0), x.dim(1), heads, quotient_of(size, heads)});
  return x.graph().transpose(parts, {0, 2, 1, 3});
}

Var merge_heads(Var x) {
  const auto from = Shape(x.shape());
  return reshape(x.graph().transpose(x, {0, 2, 1, 3}), {from[0], from[2], from[1] * from[3]});
}

// ----------------------------------------------------------------------------------------------------------- masks

Var reachable(GraphBuilder& graph, const Reach& reach, const Dim& queries, const Dim& keys) {
  Var place = unsqueeze(graph.iota(queries), {1});
  if (reach.offset) {
    Var offset = as_dtype(*reach.offset, DType::i64);
    if (!offset.shape().empty()) offset = unsqueeze(offset, {1, 2, 3});
    place = place + offset;
  }
  const Var key = graph.iota(keys);
  std::optional<Var> seen;
  if (reach.right) seen = graph.le(key, place + *reach.right);
  if (reach.left) seen = joined(seen, graph.ge(key, place - *reach.left));
  return *seen;
}

Var additive(Var mask, DType dtype) {
  if (mask.dtype() != DType::bool_) return as_dtype(mask, dtype);
  GraphBuilder& graph = mask.graph();
  return graph.select(mask, graph.scalar(0.0, dtype), graph.scalar(-std::numeric_limits<double>::infinity(), dtype));
}

Var joined(Var mask, Var other) {
  GraphBuilder& graph = mask.graph();
  if (other.dtype() == DType::bool_ && mask.dtype() != DType::bool_) std::swap(mask, other);
  const std::vector<Var> both = broadcastable({mask, other});
  if (other.dtype() == DType::bool_) return graph.logical_and(both[0], both[1]);
  if (mask.dtype() != DType::bool_) return both[0] + both[1];
  const Var hidden = graph.scalar(-std::numeric_limits<double>::infinity(), other.dtype());
  return graph.select(both[0], both[1], hidden);
}

Var joined(const std::optional<Var>& mask, Var other) { return mask ? joined(*mask, other) : other; }

// -------------------------------------------------------------------------------------------------- rotary tables

Var rotated(Var x, const Rotation& rotation) {
  const auto rows = [&](Var table) {
    if (rotation.positions) table = x.graph().take(table, *rotation.positions);
    return unsqueeze(ensure(table, {x.dim(0), x.dim(2), table.dim(-1)}), {1});
  };
  return x.graph().rope_table(x, rows(rotation.cos), rows(rotation.sin), {.interleaved = rotation.interleaved});
}

}  // namespace ingot::onnx
