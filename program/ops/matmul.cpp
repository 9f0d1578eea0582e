// Inference of matrix products, and what those over other axes mean in terms of matmul.
#include <algorithm>
#include <array>

#include "program/decompose.h"
#include "program/einsum.h"
#include "program/infer.h"
#include "program/ops/matrices.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

using Axes = std::vector<int64_t>;

bool has(const auto& list, auto item) { return std::ranges::find(list, item) != list.end(); }

void append(auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); }

Shape sizes_at(const Shape& shape, const Axes& axes) {
  Shape sizes;
  for (int64_t axis : axes) sizes.push_back(shape[static_cast<size_t>(axis)]);
  return sizes;
}

// The axes of one factor of a product, from the front: those that both have, those that are summed, and the others.
struct FactorAxes {
  Axes batch, contract, free;

  // Precondition: every axis at most once.
  FactorAxes(int64_t rank, const Axes& batch_axes, const Axes& contract_axes)
      : batch(from_front(batch_axes, rank)), contract(from_front(contract_axes, rank)) {
    for (int64_t axis = 0; axis < rank; ++axis) {
      if (!has(batch, axis) && !has(contract, axis)) free.push_back(axis);
    }
  }

  static Axes from_front(Axes axes, int64_t rank) {
    for (int64_t& axis : axes) axis += axis < 0 ? rank : 0;
    return axes;
  }
};

// [batch…, free of a…, free of b…]
Shape product_shape(const Shape& a, const FactorAxes& of_a, const Shape& b, const FactorAxes& of_b) {
  Shape shape = sizes_at(a, of_a.batch);
  append(shape, sizes_at(a, of_a.free));
  append(shape, sizes_at(b, of_b.free));
  return shape;
}

// x as a stack of matrices: the batch axes, then all of `rows` as one axis, then all of `columns`.
Var as_matrices(Var x, const Axes& batch, const Axes& rows, const Axes& columns) {
  Axes perm = batch;
  append(perm, rows);
  append(perm, columns);
  Shape shape = sizes_at(x.shape(), batch);
  shape.push_back(element_count(sizes_at(x.shape(), rows)));
  shape.push_back(element_count(sizes_at(x.shape(), columns)));
  return x.graph().reshape(x.graph().transpose(x, perm), std::move(shape));
}

Var contracted(Var a, const FactorAxes& of_a, Var b, const FactorAxes& of_b) {
  GraphBuilder& graph = a.graph();
  const Var y = graph.matmul(as_matrices(a, of_a.batch, of_a.free, of_a.contract),
                             as_matrices(b, of_b.batch, of_b.contract, of_b.free));
  return graph.reshape(y, product_shape(a.shape(), of_a, b.shape(), of_b));
}

FactorAxes checked_axes(const Scope& s, std::string_view subject, int64_t rank, const Axes& batch,
                        const Axes& contract) {
  Axes all = batch;
  append(all, contract);
  normalize_axes(s, subject, all, rank);
  return FactorAxes(rank, batch, contract);
}

void check_pairs(const Scope& s, std::string_view subject, const Shape& a, const Axes& in_a, const Shape& b,
                 const Axes& in_b) {
  if (in_a.size() != in_b.size()) {
    require_count(s, fmt::format("length of {}_b", subject), in_b.size(), in_a.size(), fmt::format("as {}_a", subject));
  }
  const Shape of_a = sizes_at(a, in_a), of_b = sizes_at(b, in_b);
  for (size_t i = 0; i < of_a.size(); ++i) {
    if (equal(of_a[i], of_b[i]) == Proof::yes) continue;
    require_equal(s, fmt::format("axis {} of b", in_b[i]), of_b[i], of_a[i], fmt::format("axis {} of a", in_a[i]));
  }
}

// ----------------------------------------------------------------------------------------------------------- einsum

// A factor of an einsum and the labels of its axes.
struct Labelled {
  Var value;
  Labels labels;

  int64_t axis(Label label) const { return std::ranges::find(labels, label) - labels.begin(); }
};

// Axes of one label become one: the diagonal.
Labelled without_repeats(Labelled x) {
  for (size_t i = 0; i < x.labels.size();) {
    const auto second = std::find(x.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1, x.labels.end(), x.labels[i]);
    if (second == x.labels.end()) {
      ++i;
      continue;
    }
    const Label label = x.labels[i];
    const auto first = static_cast<int64_t>(i), other = static_cast<int64_t>(second - x.labels.begin());
    x.value = x.value.graph().diagonal(x.value, {.axis1 = first, .axis2 = other});
    x.labels.erase(second);
    x.labels.erase(x.labels.begin() + first);
    x.labels.push_back(label);
  }
  return x;
}

// An axis of size 1 that stretches is left out: multiplying broadcasts it.
Labelled without_stretched(const Labelled& x, const std::map<Label, Dim>& sizes) {
  Shape shape;
  Labels labels;
  for (size_t axis = 0; axis < x.labels.size(); ++axis) {
    const Dim& size = x.value.shape()[axis];
    if (size == 1 && sizes.at(x.labels[axis]) != 1) continue;
    shape.push_back(size);
    labels.push_back(x.labels[axis]);
  }
  return labels == x.labels ? x : Labelled{x.value.graph().reshape(x.value, std::move(shape)), labels};
}

// The sum over the labels that are not in `keep`.
Labelled summed_to(const Labelled& x, const Labels& keep) {
  Axes axes;
  Labels labels;
  for (Label label : x.labels) {
    if (has(keep, label))
      labels.push_back(label);
    else
      axes.push_back(x.axis(label));
  }
  return axes.empty() ? x : Labelled{x.value.graph().reduce_sum(x.value, axes), labels};
}

// a·b; labels of both that are not `needed` are summed.
Labelled multiplied(const Labelled& a, const Labelled& b, const Labels& needed) {
  Labels either = needed;
  append(either, a.labels);
  const Labelled right = summed_to(b, either);
  either = needed;
  append(either, b.labels);
  const Labelled left = summed_to(a, either);
  Axes batch_a, batch_b, contract_a, contract_b;
  Labels labels;
  for (Label label : left.labels) {
    if (!has(right.labels, label)) continue;
    const bool kept = has(needed, label);
    (kept ? batch_a : contract_a).push_back(left.axis(label));
    (kept ? batch_b : contract_b).push_back(right.axis(label));
    if (kept) labels.push_back(label);
  }
  const FactorAxes of_a(left.value.type().rank(), batch_a, contract_a);
  const FactorAxes of_b(right.value.type().rank(), batch_b, contract_b);
  for (int64_t axis : of_a.free) labels.push_back(left.labels[static_cast<size_t>(axis)]);
  for (int64_t axis : of_b.free) labels.push_back(right.labels[static_cast<size_t>(axis)]);
  return {contracted(left.value, of_a, right.value, of_b), labels};
}

Equation equation_of(const op::Einsum& op, std::span<const Shape> shapes) {
  std::vector<size_t> ranks;
  for (const Shape& shape : shapes) ranks.push_back(shape.size());
  return parse_equation(op.equation, ranks);
}

}  // namespace

// [..., M, K] · [..., K, N] -> [..., M, N]
static Types rule(const op::Matmul& op, const Scope& s) {
  const DType dtype = promote_or_refuse(s, s.type(op.a).dtype, s.type(op.b).dtype);
  require_kind(s, "dtype of a and b", dtype, kinds::number);
  const Matrices a = matrices_of(s, "a", s.type(op.a), op.transpose_a);
  const Matrices b = matrices_of(s, "b", s.type(op.b), op.transpose_b);
  require_equal(s, "number of rows of b", b.rows, a.columns, "columns of a");
  Shape shape = broadcast_shapes(s, a.lead, b.lead);
  shape.push_back(a.rows);
  shape.push_back(b.columns);
  return {{dtype, std::move(shape), {}}};
}

// a and b over paired axes -> [batch…, free of a…, free of b…]
static Types rule(const op::DotGeneral& op, const Scope& s) {
  const TensorType &a = s.type(op.a), &b = s.type(op.b);
  const DType dtype = promote_or_refuse(s, a.dtype, b.dtype);
  require_kind(s, "dtype of a and b", dtype, kinds::number);
  const FactorAxes of_a = checked_axes(s, "axes of a", a.rank(), op.batch_a, op.contract_a);
  const FactorAxes of_b = checked_axes(s, "axes of b", b.rank(), op.batch_b, op.contract_b);
  check_pairs(s, "batch", a.shape, of_a.batch, b.shape, of_b.batch);
  check_pairs(s, "contract", a.shape, of_a.contract, b.shape, of_b.contract);
  return {{dtype, product_shape(a.shape, of_a, b.shape, of_b), {}}};
}

// Transposed and reshaped to matmul's [batch…, M, K] · [batch…, K, N].
static std::vector<Var> expand(const op::DotGeneral& op, GraphBuilder&, const Operands& operands) {
  const Var a = operands(op.a), b = operands(op.b);
  return {contracted(a, FactorAxes(a.type().rank(), op.batch_a, op.contract_a), b,
                     FactorAxes(b.type().rank(), op.batch_b, op.contract_b))};
}

static Types rule(const op::Einsum& op, const Scope& s) {
  if (op.operands.empty()) s.refuse("number of operands", "0", "at least 1");
  std::vector<Shape> shapes;
  DType dtype = s.type(op.operands.front()).dtype;
  for (Ref ref : op.operands) {
    shapes.push_back(s.type(ref).shape);
    dtype = promote_or_refuse(s, dtype, s.type(ref).dtype);
  }
  require_kind(s, "dtype of the operands", dtype, kinds::number);
  const Equation equation = equation_of(op, shapes);
  const std::map<Label, Dim> sizes = label_sizes<Dim>(equation, shapes);
  for (size_t i = 0; i < shapes.size(); ++i) {
    for (size_t axis = 0; axis < shapes[i].size(); ++axis) {
      const Label label = equation.operands[i][axis];
      const Dim &actual = shapes[i][axis], &expected = sizes.at(label);
      if ((label < 0 && actual == 1) || equal(actual, expected) == Proof::yes) continue;
      const std::string name = label < 0 ? "..." : std::string(1, static_cast<char>(label));
      require_equal(s, fmt::format("size of '{}' in operand {}", name, i), actual, expected, "as elsewhere");
    }
  }
  Shape shape;
  for (Label label : equation.result) shape.push_back(sizes.at(label));
  return {{dtype, std::move(shape), {}}};
}

// One factor after the other: each product sums what neither the result nor a later factor has.
static std::vector<Var> expand(const op::Einsum& op, GraphBuilder& graph, const Operands& operands) {
  std::vector<Shape> shapes;
  DType dtype = operands(op.operands.front()).dtype();
  for (Ref ref : op.operands) {
    const Var x = operands(ref);
    shapes.push_back(x.shape());
    dtype = *promote(dtype, x.dtype());
  }
  const Equation equation = equation_of(op, shapes);
  const std::map<Label, Dim> sizes = label_sizes<Dim>(equation, shapes);
  std::map<Label, size_t> uses;  // of labels in the factors to come
  for (const Labels& labels : equation.operands) {
    for (Label label : labels) ++uses[label];
  }
  std::optional<Labelled> product;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const Var x = as_dtype(operands(op.operands[i]), widened(dtype));
    const Labelled factor = without_stretched(without_repeats({x, equation.operands[i]}), sizes);
    for (Label label : equation.operands[i]) --uses[label];
    Labels needed = equation.result;
    for (const auto& [label, count] : uses) {
      if (count > 0) needed.push_back(label);
    }
    product = product ? multiplied(*product, factor, needed) : summed_to(factor, needed);
  }
  Axes perm;
  for (Label label : equation.result) perm.push_back(product->axis(label));
  return {as_dtype(graph.transpose(product->value, perm), dtype)};
}

// [M, K] by [G, K, N] -> [M, N]; transposed, and always where packed, w is [G, N, K].
static Types rule(const op::GroupedMatmul& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w), &group = s.type(op.group);
  const bool packed = w.dtype == DType::packed;
  const DType dtype = packed ? x.dtype : promote_or_refuse(s, x.dtype, w.dtype);
  require_kind(s, packed ? "x" : "dtype of x and w", dtype, packed ? kinds::real : kinds::number);
  require_kind(s, "group", group.dtype, kinds::integer);
  require_count(s, "rank of x", x.shape.size(), 2, "[M, K]");
  const bool transposed = packed || op.transpose_w;
  require_count(s, "rank of w", w.shape.size(), 3, transposed ? "[G, N, K]" : "[G, K, N]");
  require_equal(s, "K of w", w.shape[transposed ? 2 : 1], x.shape[1], "columns of x");
  require_count(s, "rank of group", group.shape.size(), 1, "[M]");
  require_equal(s, "size of group", group.shape[0], x.shape[0], "rows of x");
  return {{dtype, {x.shape[0], w.shape[transposed ? 1 : 2]}, {}}};
}

// a_zero is a scalar, [M] or [..., M, 1]; b_zero a scalar, [N] or [..., 1, N].
static Types rule(const op::IntegerMatmul& op, const Scope& s) {
  static constexpr std::array<DType, 2> bytes{DType::u8, DType::i8};
  require_dtype(s, "a", s.type(op.a).dtype, bytes);
  require_dtype(s, "b", s.type(op.b).dtype, bytes);
  const Matrices a = matrices_of(s, "a", s.type(op.a)), b = matrices_of(s, "b", s.type(op.b));
  require_equal(s, "number of rows of b", b.rows, a.columns, "columns of a");
  const auto check_zero = [&](std::string_view subject, const std::optional<Ref>& ref, DType dtype, const Shape& to) {
    if (!ref) return;
    require_dtype(s, subject, s.type(*ref).dtype, std::array{dtype});
    require_broadcast(s, subject, s.type(*ref).shape, to);
  };
  Shape rows = a.lead, columns = b.lead;
  append(rows, Shape{a.rows, 1});
  append(columns, Shape{1, b.columns});
  const bool vector = op.a_zero && s.type(*op.a_zero).rank() == 1;
  check_zero("a_zero", op.a_zero, s.type(op.a).dtype, vector ? Shape{a.rows} : rows);
  check_zero("b_zero", op.b_zero, s.type(op.b).dtype, columns);
  Shape shape = broadcast_shapes(s, a.lead, b.lead);
  append(shape, Shape{a.rows, b.columns});
  return {{DType::i32, std::move(shape), {}}};
}

// x [..., K], w [K, N], a [K, R], b [R, N] -> [..., N]; the adapter a, b may have other dtypes.
static Types rule(const op::LoraLinear& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w), &a = s.type(op.a), &b = s.type(op.b);
  const DType dtype = promote_or_refuse(s, x.dtype, w.dtype);
  require_kind(s, "dtype of x and w", dtype, kinds::real);
  require_kind(s, "a", a.dtype, kinds::real);
  require_kind(s, "b", b.dtype, kinds::real);
  require_at_least(s, "rank of x", x.rank(), 1);
  require_count(s, "rank of w", w.shape.size(), 2, "[K, N]");
  require_count(s, "rank of a", a.shape.size(), 2, "[K, R]");
  require_count(s, "rank of b", b.shape.size(), 2, "[R, N]");
  require_equal(s, "number of rows of w", w.shape[0], x.shape.back(), "last axis of x");
  require_equal(s, "number of rows of a", a.shape[0], x.shape.back(), "last axis of x");
  require_equal(s, "number of rows of b", b.shape[0], a.shape[1], "columns of a");
  require_equal(s, "number of columns of b", b.shape[1], w.shape[1], "columns of w");
  require_finite(s, "scale", op.scale);
  Shape shape = x.shape;
  shape.back() = w.shape[1];
  return {{dtype, std::move(shape), {}}};
}

// x·w + scale·(x·a)·b; a vector x is a matrix of one row.
static std::vector<Var> expand(const op::LoraLinear& op, GraphBuilder& graph, const Operands& operands) {
  const Var x = operands(op.x), w = operands(op.w);
  const DType dtype = *promote(x.dtype(), w.dtype()), wide = widened(dtype);
  Var rows = as_dtype(x, wide);
  const bool vector = x.type().rank() == 1;
  if (vector) rows = graph.reshape(rows, {1, x.dim(0)});
  const Var adapted = graph.matmul(graph.matmul(rows, operands(op.a)), operands(op.b));
  const Var y = as_dtype(graph.matmul(rows, as_dtype(w, wide)) + adapted * op.scale, dtype);
  return {vector ? graph.reshape(y, {w.dim(1)}) : y};
}

INGOT_RULES(matmul)
INGOT_EXPANSIONS(matmul)

}  // namespace ingot
