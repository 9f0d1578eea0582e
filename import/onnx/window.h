// Window: how convolutions and pools read their input, from the attributes that they share.
//
// With auto_pad the padding follows from the sizes of x, which may be symbols.
//
// Threads    none involved. Failure  Code::bad_file for lists of a wrong length; Unsupported for open kernel sizes.
#pragma once

#include <optional>
#include <vector>

#include "import/onnx/node.h"

namespace ingot::onnx {

enum class AutoPad { none, same_upper, same_lower, valid };

struct Window {
  std::vector<int64_t> kernel, strides, dilations;
  Shape before, after;
  AutoPad auto_pad = AutoPad::none;
  Shape x;  // what it was made for

  // Elements that the kernel spans along a spatial axis.
  int64_t extent(size_t axis) const { return (kernel[axis] - 1) * dilations[axis] + 1; }
};

// The attributes kernel_shape, strides, dilations, pads and auto_pad; x is [N, C, spatial…]. `kernel`: that of the
// weights, where the file may leave kernel_shape out.
Window window_of(Node& node, Shape x, std::optional<std::vector<int64_t>> kernel = {});
// The sizes of weights behind their first two axes.
std::vector<int64_t> kernel_of(const TensorType& weights);
// An attribute with a number for each of `count` axes, all `standard` where it is not given.
std::vector<int64_t> list_of(Node& node, std::string_view name, size_t count, int64_t standard);

// x with spatial sizes for which the number of windows is provably not negative.
Var fitted(Var x, const Window& window);
// The result under the sizes ⌈in / stride⌉ that auto_pad SAME stands for.
Var with_same_sizes(Var y, const Window& window);

// x with as many channels as the groups of the weights read.
Var with_channels(Var x, Var w, int64_t groups);
// Conv of x [N, C, spatial…] with the attributes of the node.
Var convolved(Node& node, Var x, Var w, std::optional<Var> bias);
// The same of 8-bit integers, in i32.
Var integer_convolved(Node& node, Var x, Var w, std::optional<Var> x_zero, std::optional<Var> w_zero);

// What pools take from the node besides the kernel.
options::Pool pool_options(Node& node, const Window& window);
// AveragePool of x [N, C, spatial…] with the attributes of the node.
Var average_pooled(Node& node, Var x);

}  // namespace ingot::onnx
