// Inference of ops that read and write at indices.
#include <algorithm>
#include <array>
#include <numeric>

#include "program/decompose.h"
#include "program/index_layout.h"
#include "program/infer.h"
#include "program/ops/box.h"

namespace ingot {
namespace {

using namespace kinds;

Kinds takes(ScatterFn fn) {
  switch (fn) {
    case ScatterFn::set: return computable;
    case ScatterFn::add:
    case ScatterFn::mul: return number;
    case ScatterFn::max:
    case ScatterFn::min: return integer | real;
  }
  return 0;
}

// Clamping needs an element to clamp to.
void require_clampable(const Scope& s, IndexMode mode, const Dim& size) {
  if (mode == IndexMode::clamp) require_at_least(s, "size of the axis", size, 1);
}

// The axis of x that integers index.
int64_t indexed_axis(const Scope& s, const TensorType& x, const TensorType& indices, int64_t given, IndexMode mode) {
  require_kind(s, "x", x.dtype, computable);
  require_kind(s, "indices", indices.dtype, integer);
  const int64_t axis = normalize_axis(s, "axis", given, x.rank());
  require_clampable(s, mode, x.shape[static_cast<size_t>(axis)]);
  return axis;
}

// Indices whose last axis holds coordinates in the axes of x from `batch` on: [leading…] + what a coordinate names.
Shape named_by_coordinates(const Scope& s, const TensorType& x, const TensorType& indices, int64_t batch,
                           IndexMode mode) {
  require_kind(s, "x", x.dtype, computable);
  require_kind(s, "indices", indices.dtype, integer);
  if (indices.shape.empty()) s.refuse("rank of indices", "0", "at least 1");
  const int64_t most = std::min(x.rank(), indices.rank() - 1);
  if (batch < 0 || batch > most) {
    s.refuse("batch_dims", fmt::format("{}", batch), fmt::format("0..{}", most), Code::out_of_range);
  }
  for (size_t axis = 0; axis < static_cast<size_t>(batch); ++axis) {
    require_equal(s, fmt::format("axis {} of indices", axis), indices.shape[axis], x.shape[axis], "as x");
  }
  const Dim& count = indices.shape.back();
  if (!count.is_literal()) s.refuse("last axis of indices", to_string(count), "a literal: the number of coordinates");
  require_at_least(s, "last axis of indices", count, 0);
  require_at_most(s, "last axis of indices", count, x.rank() - batch);
  Shape shape(indices.shape.begin(), indices.shape.end() - 1);
  const auto first = x.shape.begin() + batch, rest = first + count.literal();
  std::for_each(first, rest, [&](const Dim& size) { require_clampable(s, mode, size); });
  shape.insert(shape.end(), rest, x.shape.end());
  return shape;
}

// What index_get reads and index_put writes.
template <class O>
Shape named_by_indices(const Scope& s, const O& op) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, computable);
  const std::vector<int64_t> axes = normalize_axes(s, "axes", op.axes, x.rank());
  if (axes.empty()) s.refuse("length of axes", "0", "at least 1");
  require_count(s, "number of indices", op.indices.size(), axes.size(), "length of axes");
  Shape box;
  for (size_t i = 0; i < axes.size(); ++i) {
    require_kind(s, "indices", s.type(op.indices[i]).dtype, integer);
    require_clampable(s, op.mode, x.shape[static_cast<size_t>(axes[i])]);
    box = broadcast_shapes(s, box, s.type(op.indices[i]).shape);
  }
  const IndexLayout layout = index_layout(axes, x.shape.size());
  Shape kept;
  for (int64_t axis : layout.kept) kept.push_back(x.shape[static_cast<size_t>(axis)]);
  return laid_out(layout, kept, box);
}

// Indices as gather_nd and its like have them. Beyond i64 they are out of range all the same.
Var as_i64(Var indices) {
  return indices.dtype() == DType::i64 ? indices : indices.graph().cast(indices, DType::i64, {.saturate = true});
}

// index_get and index_put by gather_nd and scatter_nd: the indexed axes of x go to the front, the indices become one
// tensor of coordinates.
struct ByCoordinates {
  std::vector<int64_t> to_front;   // perm of x: the indexed axes, then those that are kept
  std::vector<int64_t> placed;     // perm from [indices…, kept…] to the result
  Shape result;                    // what index_get gives
  std::optional<Var> coordinates;  // [indices…, one for each axis]
};

template <class O>
ByCoordinates by_coordinates(const O& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x);
  const IndexLayout layout = index_layout(op.axes, x.shape().size());
  ByCoordinates by;
  for (int64_t axis : op.axes) by.to_front.push_back(axis < 0 ? axis + x.type().rank() : axis);
  by.to_front.insert(by.to_front.end(), layout.kept.begin(), layout.kept.end());
  Shape kept, box;
  for (int64_t axis : layout.kept) kept.push_back(x.dim(axis));
  for (Ref index : op.indices) box = stretched(box, operands(index).shape());
  by.result = laid_out(layout, kept, box);
  std::vector<int64_t> of_indices(box.size()), of_kept(kept.size());
  std::iota(of_indices.begin(), of_indices.end(), 0);
  std::iota(of_kept.begin(), of_kept.end(), static_cast<int64_t>(box.size()));
  by.placed = laid_out(layout, of_kept, of_indices);
  Shape column = box;
  column.emplace_back(1);
  std::vector<Var> columns;
  for (Ref index : op.indices) {
    columns.push_back(graph.reshape(graph.broadcast(as_i64(operands(index)), box), column));
  }
  by.coordinates = graph.concatenate(columns, {.axis = -1});
  return by;
}

std::vector<int64_t> inverse(const std::vector<int64_t>& perm) {
  std::vector<int64_t> result(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) result[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
  return result;
}

}  // namespace

// x[:axis] + indices + x[axis+1:]
static Types rule(const op::Take& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  const int64_t axis = indexed_axis(s, x, indices, op.axis, op.mode);
  Shape shape(x.shape.begin(), x.shape.begin() + axis);
  shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
  shape.insert(shape.end(), x.shape.begin() + axis + 1, x.shape.end());
  return {{x.dtype, std::move(shape), {}}};
}

static Types rule(const op::Gather& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  const int64_t axis = indexed_axis(s, x, indices, op.axis, op.mode);
  require_same_sizes(s, "indices", indices.shape, x.shape, std::array{axis}, "as x");
  return {{x.dtype, indices.shape, {}}};
}

static Types rule(const op::Scatter& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  const int64_t axis = indexed_axis(s, x, indices, op.axis, op.mode);
  require_kind(s, "x", x.dtype, takes(op.fn));
  require_same_sizes(s, "indices", indices.shape, x.shape, std::array{axis}, "as x");
  require_type(s, "updates", s.type(op.updates), {x.dtype, indices.shape, {}}, "dtype of x, shape of indices");
  return {x};
}

// i64[rank, count]
static Types rule(const op::Nonzero& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, computable);
  const Symbol& count = s.symbol(op.count);
  require_counts_from(s, count, 0, "there may be no such element");
  return {{DType::i64, {x.rank(), count}, {}}};
}

static Types rule(const op::Item& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, integer);
  require_count(s, "rank of x", x.shape.size(), 0, "a scalar");
  return {x};
}

static Types rule(const op::DynamicSlice& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, computable);
  const std::vector<int64_t> axes = normalize_axes(s, "axes", op.axes, x.rank());
  check_starts(s, op.starts, axes.size());
  require_count(s, "length of sizes", op.sizes.size(), axes.size(), "length of axes");
  require_sizes(s, "size in sizes", op.sizes);
  Shape shape = x.shape;
  for (size_t i = 0; i < axes.size(); ++i) {
    Dim& size = shape[static_cast<size_t>(axes[i])];
    if (op.mode != IndexMode::drop) require_at_most(s, "size in sizes", op.sizes[i], size);
    size = op.sizes[i];
  }
  return {{x.dtype, std::move(shape), {}}};
}

static Types rule(const op::DynamicUpdate& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, computable);
  check_update(s, op, x, "as x");
  return {x};
}

static Types rule(const op::GatherNd& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  return {{x.dtype, named_by_coordinates(s, x, s.type(op.indices), op.batch_dims, op.mode), {}}};
}

static Types rule(const op::ScatterNd& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const Shape shape = named_by_coordinates(s, x, s.type(op.indices), 0, op.mode);
  require_kind(s, "x", x.dtype, takes(op.fn));
  require_type(s, "updates", s.type(op.updates), {x.dtype, shape, {}}, "what the indices name");
  return {x};
}

static Types rule(const op::IndexGet& op, const Scope& s) {
  return {{s.type(op.x).dtype, named_by_indices(s, op), {}}};
}

static std::vector<Var> expand(const op::IndexGet& op, GraphBuilder& graph, const Operands& operands) {
  const ByCoordinates by = by_coordinates(op, graph, operands);
  const Var x = graph.transpose(operands(op.x), by.to_front);
  return {graph.transpose(graph.gather_nd(x, *by.coordinates, {.mode = op.mode}), by.placed)};
}

static Types rule(const op::IndexPut& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &values = s.type(op.values);
  const Shape shape = named_by_indices(s, op);
  require_kind(s, "x", x.dtype, takes(op.fn));
  require_dtype(s, "dtype of values", values.dtype, {&x.dtype, 1});
  require_broadcast(s, "values", values.shape, shape);
  return {x};
}

static std::vector<Var> expand(const op::IndexPut& op, GraphBuilder& graph, const Operands& operands) {
  const ByCoordinates by = by_coordinates(op, graph, operands);
  const Var x = graph.transpose(operands(op.x), by.to_front);
  const Var values = graph.transpose(graph.broadcast(operands(op.values), by.result), inverse(by.placed));
  const Var y = graph.add(op::ScatterNd{op.fn, x.ref(), by.coordinates->ref(), values.ref(), op.mode}).front();
  return {graph.transpose(y, inverse(by.to_front))};
}

// indices[:axis] + depth + indices[axis:]
static Types rule(const op::OneHot& op, const Scope& s) {
  const TensorType& indices = s.type(op.indices);
  require_kind(s, "indices", indices.dtype, integer);
  require_kind(s, "dtype", op.dtype, computable);
  require_at_least(s, "depth", op.depth, 0);
  const int64_t axis = normalize_axis(s, "axis", op.axis, indices.rank() + 1);
  Shape shape = indices.shape;
  shape.insert(shape.begin() + axis, op.depth);
  return {{op.dtype, std::move(shape), {}}};
}

// indices = i or indices = i - depth, where i counts along the new axis
static std::vector<Var> expand(const op::OneHot& op, GraphBuilder& graph, const Operands& operands) {
  const Var indices = as_i64(operands(op.indices));
  const int64_t rank = indices.type().rank() + 1, axis = op.axis < 0 ? op.axis + rank : op.axis;
  Shape column = indices.shape(), row(static_cast<size_t>(rank - axis), 1);
  column.insert(column.begin() + axis, 1);
  row.front() = op.depth;
  const Var at = graph.reshape(indices, column), i = graph.reshape(graph.iota(op.depth), row);
  const Var hit = graph.logical_or(graph.eq(at, i), graph.eq(at, i - graph.size_of(op.depth)));
  return {as_dtype(hit, op.dtype)};
}

static Types rule(const op::MaskedScatter& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &mask = s.type(op.mask);
  require_kind(s, "x", x.dtype, computable);
  require_kind(s, "mask", mask.dtype, boolean);
  require_broadcast(s, "mask", mask.shape, x.shape);
  require_dtype(s, "dtype of source", s.type(op.source).dtype, {&x.dtype, 1});
  return {x};
}

INGOT_RULES(index)
INGOT_EXPANSIONS(index)

}  // namespace ingot
