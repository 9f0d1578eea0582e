// Sizes in handlers: ONNX lets shapes meet that only turn out to fit when the model runs; Ingot wants a proof.
//
// Where something is provable these add nothing. Where it may be true they add `ensure_shape`, which checks it when the
// program runs. Where it is certainly false, inference refuses the op with both shapes.
//
// Shapes are taken by value: what Var::shape() refers to moves whenever a node is added.
//
// Threads    none involved. Failure  what the builder throws; Code::bad_file from `axis_of`.
#pragma once

#include <vector>

#include "import/onnx/node.h"

namespace ingot::onnx {

// The axis counted from the front. `end`: rank itself counts as well, as a place to insert.
int64_t axis_of(const Node& node, std::string_view subject, int64_t axis, int64_t rank, bool end = false);
// The same for a list.
std::vector<int64_t> axes_of(const Node& node, std::string_view subject, std::vector<int64_t> axes, int64_t rank);

// x with exactly this shape.
Var ensure(Var x, Shape shape);
// x with this size along one axis, counted from the front.
Var ensure_size(Var x, int64_t axis, const Dim& size);
// x, of which one axis is provably at least that long; its size becomes max(size, minimum).
Var ensure_at_least(Var x, int64_t axis, const Dim& minimum);

// x, of which every size is provably not negative: expressions do not always show it.
Var not_negative(Var x);

// The values with shapes that broadcast; those of different symbols become equal by promise.
std::vector<Var> broadcastable(std::vector<Var> values);
// The shape that they broadcast to. Precondition: they do.
Shape broadcast_shape(const std::vector<Var>& values);
// x, each axis of which is 1 or that of the shape: it broadcasts to it.
Var stretchable(Var x, const Shape& shape);
// x stretched to the shape.
Var broadcast_to(Var x, Shape shape);

// x under another shape; where the counts are not provably equal, by promise.
Var reshape(Var x, Shape shape);
// total / divisor, which is exact where the model is right.
Dim quotient_of(const Dim& total, const Dim& divisor);

// x, of one element, as a scalar: ONNX takes either.
Var as_scalar(Var x);
// The elements of a scalar or list, each as a scalar. Precondition: how many is known.
std::vector<Var> elements_of(Var list);
// Sizes as a list of i64, in the program.
Var size_list(Node& node, std::vector<Dim> sizes);
// A symbol for each element of such a list; one below the minimum fails the call.
std::vector<Dim> bind_sizes(Node& node, Var list, int64_t minimum = 0);
// x without the axes, which have size 1.
Var squeeze(Var x, const std::vector<int64_t>& axes);
// x with axes of size 1 at these places of the result.
Var unsqueeze(Var x, const std::vector<int64_t>& axes);

}  // namespace ingot::onnx
