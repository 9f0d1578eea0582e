// Axes that are data: which ones a node works on is only known when the model runs.
//
// The work is written so that any axis will do: on x seen as [before, size, after], or as a matrix of rows. The sizes of
// what comes out become symbols that the program binds.
//
// Threads    none involved.
// Failure    what the builder throws; Unsupported for axes that are no integers. An axis outside of
//            -rank … rank-1, or one that is named twice, fails the call of the program.
#pragma once

#include <string_view>

#include "import/onnx/sizes.h"

namespace ingot::onnx {

// Whether the input is there, and depends on what the model is run with.
bool is_data(Node& node, size_t input);

// x, a number, where a condition holds; else the call fails, and names it. It is a factor of 1, which nothing can leave
// out as unused.
Var provided(Node& node, Var condition, std::string_view what, Var x);
// The only element of an input as a size; where it is data, one below 1 fails the call.
Dim positive_dim(Node& node, size_t input);

struct RuntimeAxes {
  Var places;  // i64[count]: 0 … rank-1, no two alike
  Var named;   // bool[rank]: whether an axis is among them
};

// The axes of `rank` that a list or scalar names, however long it is.
RuntimeAxes runtime_axes(Node& node, size_t input, int64_t rank);

// Values of the named axes at their places, and those of `standard`, i64[rank], elsewhere.
Var spread(const RuntimeAxes& axes, Var values, Var standard);

// The shape with `size` along the named axes.
Shape replaced_sizes(Node& node, const Shape& shape, Var named, const Dim& size);
// The sizes of the axes that are not named, of which there are `count`.
Shape kept_sizes(Node& node, const Shape& shape, Var named, int64_t count);
// The shape with axes of size 1 inserted: `named` counts those of the result.
Shape inserted_sizes(Node& node, const Shape& shape, Var named);

// x as [rows, columns]: a row for each place along the other axes, a column for each along the named ones, row-major.
Var as_rows(Node& node, Var x, Var named);

// One axis: x reshaped to [before, size, after] has it in the middle.
struct RuntimeAxis {
  Var named;  // as above, of the axes that may be named
  Dim before, size, after;
};

// The axis that a scalar or a list of one names among those of `shape`; negatives count back from `rank`.
RuntimeAxis runtime_axis(Node& node, size_t input, const Shape& shape, int64_t rank);

}  // namespace ingot::onnx
