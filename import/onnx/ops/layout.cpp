// Ops that rearrange blocks, borders and sequences.
#include <fmt/format.h>

#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// --------------------------------------------------------------------------------------------------- depth and space

struct Image {
  Var x;
  int64_t block;
  Dim batch, channels, height, width;
};

Image image_of(Node& node) {
  const int64_t block = node.integer("blocksize");
  const Var x = node.input(0);
  if (x.type().rank() != 4) node.malformed("input", to_string(x.type()), "[N, C, H, W]");
  if (block < 1 || block > std::numeric_limits<int32_t>::max()) {
    node.malformed("blocksize", fmt::format("{}", block), "1..2147483647");
  }
  return {x, block, x.dim(0), x.dim(1), x.dim(2), x.dim(3)};
}

// [b, b, C'] (DCR) or [C', b, b] (CRD) of the channels: both b go behind height and width.
void depth_to_space(Node& node, GraphBuilder& graph) {
  const Image in = image_of(node);
  const bool depth_last = node.choice<bool>("mode", "DCR", {{"DCR", true}, {"CRD", false}});
  const int64_t b = in.block;
  const Dim depth = quotient_of(in.channels, Dim(b) * b);
  const Var parts = depth_last ? reshape(in.x, {in.batch, b, b, depth, in.height, in.width})
                               : reshape(in.x, {in.batch, depth, b, b, in.height, in.width});
  const Var moved =
      depth_last ? graph.transpose(parts, {0, 3, 4, 1, 5, 2}) : graph.transpose(parts, {0, 1, 4, 2, 5, 3});
  node.set(0, reshape(moved, {in.batch, depth, in.height * b, in.width * b}));
}

void space_to_depth(Node& node, GraphBuilder& graph) {
  const Image in = image_of(node);
  const bool depth_last = node.choice<bool>("mode", "DCR", {{"DCR", true}, {"CRD", false}});
  const int64_t b = in.block;
  const Dim height = quotient_of(in.height, b), width = quotient_of(in.width, b);
  const Var parts = reshape(in.x, {in.batch, in.channels, height, b, width, b});
  const Var moved =
      depth_last ? graph.transpose(parts, {0, 3, 5, 1, 2, 4}) : graph.transpose(parts, {0, 1, 3, 5, 2, 4});
  node.set(0, reshape(moved, {in.batch, in.channels * b * b, height, width}));
}

// ---------------------------------------------------------------------------------------------------------- borders

// Half of the difference in front, rounded down, the rest behind: cut off or filled with 0.
void center_crop_pad(Node& node, GraphBuilder& graph) {
  const int64_t rank = node.rank(0);
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  axes = axes_of(node, "axes", node.integers("axes").value_or(axes), rank);
  const std::vector<Dim> sizes = node.dims(1);
  if (sizes.size() != axes.size()) {
    node.malformed("shape", fmt::format("{} sizes", sizes.size()), fmt::format("{}", axes.size()));
  }
  Var x = node.input(0);
  Shape starts, stops, before(static_cast<size_t>(rank), 0), after = before, target = x.shape();
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const Dim size = x.shape()[axis], kept = min(size, sizes[i]), added = sizes[i] - kept;
    starts.push_back(floor_div(size - kept, 2));
    stops.push_back(starts.back() + kept);
    before[axis] = floor_div(added, 2);
    after[axis] = added - before[axis];
    target[axis] = sizes[i];
  }
  x = graph.slice(x, axes, starts, stops);
  node.set(0, ensure(graph.pad(x, before, after), target));
}

// Version 1 to 5 named one axis; those are older than what is read.
void tile(Node& node, GraphBuilder& graph) {
  const std::vector<Dim> repeats = node.dims(1);
  node.set(0, graph.tile(node.input(0), repeats));
}

// -------------------------------------------------------------------------------------------------------- triangles

// Where k is data the program compares positions itself: column - row against k.
Var masked_triangle(Var x, Var k, bool upper) {
  GraphBuilder& graph = x.graph();
  const Var columns = graph.iota(x.dim(-1)), rows = unsqueeze(graph.iota(x.dim(-2)), {1});
  const Var distance = columns - rows, bound = as_dtype(as_scalar(k), DType::i64);
  const Var kept = upper ? graph.ge(distance, bound) : graph.le(distance, bound);
  return graph.select(kept, x, graph.scalar(0, x.dtype()));
}

void trilu(Node& node, GraphBuilder& graph) {
  const bool upper = node.flag("upper", true);
  const Var x = node.input(0);
  if (x.type().rank() < 2) node.malformed("input", to_string(x.type()), "rank 2 or more");
  if (node.has(1) && !node.find_dims(1)) return node.set(0, masked_triangle(x, node.input(1), upper));
  const std::optional<Dim> k = node.has(1) ? std::optional(node.dim(1)) : std::nullopt;
  node.set(0, upper ? graph.triangle_upper(x, {.k = k}) : graph.triangle_lower(x, {.k = k}));
}

void eye_like(Node& node, GraphBuilder& graph) {
  const TensorType like = node.type(0);
  if (like.rank() != 2) node.malformed("input", to_string(like), "rank 2");
  const DType dtype = node.dtype("dtype", like.dtype);
  node.set(0, graph.eye(like.shape[0], like.shape[1], {.k = Dim(node.integer("k", 0)), .dtype = dtype}));
}

// -------------------------------------------------------------------------------------------------------- sequences

// Time t of batch b comes from length-1-t while t < length[b], and stays behind it.
void reverse_sequence(Node& node, GraphBuilder& graph) {
  const int64_t batch = axis_of(node, "batch_axis", node.integer("batch_axis", 1), node.rank(0));
  const int64_t time = axis_of(node, "time_axis", node.integer("time_axis", 0), node.rank(0));
  if (batch == time) node.malformed("time_axis", "the batch axis", "another");
  const Var x = node.input(0);
  const auto along = [&](Var values, int64_t axis) {
    Shape shape(x.shape().size(), 1);
    shape[static_cast<size_t>(axis)] = values.dim(0);
    return reshape(values, shape);
  };
  const Var lengths = along(as_dtype(ensure(node.input(1), {x.dim(batch)}), DType::i64), batch);
  const Var places = along(graph.iota(x.dim(time)), time);
  const Var from = graph.select(graph.lt(places, lengths), lengths - 1 - places, places);
  node.set(0, graph.gather(x, broadcast_to(from, Shape(x.shape())), {.axis = time}));
}

constexpr Handler rows[] = {
    {"CenterCropPad", 18, center_crop_pad},
    {"DepthToSpace", 1, depth_to_space},
    {"EyeLike", 9, eye_like},
    {"ReverseSequence", 10, reverse_sequence},
    {"SpaceToDepth", 1, space_to_depth},
    {"Tile", 6, tile},
    {"Trilu", 14, trilu},
};

}  // namespace

std::span<const Handler> layout_handlers() { return rows; }

}  // namespace ingot::onnx
