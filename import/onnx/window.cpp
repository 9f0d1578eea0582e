#include "import/onnx/window.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

bool is_same(AutoPad auto_pad) { return auto_pad == AutoPad::same_upper || auto_pad == AutoPad::same_lower; }

// As much padding as gives ⌈in / stride⌉ windows; an odd element goes behind, or in front with SAME_LOWER.
void pad_to_same(Window& window, size_t axis, const Dim& size) {
  const int64_t stride = window.strides[axis];
  const Dim total = max((ceil_div(size, stride) - 1) * stride + window.extent(axis) - size, 0);
  const Dim less = floor_div(total, 2), more = total - less;
  window.before[axis] = window.auto_pad == AutoPad::same_upper ? less : more;
  window.after[axis] = window.auto_pad == AutoPad::same_upper ? more : less;
}

// With auto_pad the number of windows is the same either way.
bool rounds_up(Node& node, const Window& window) {
  return node.flag("ceil_mode", false) && window.auto_pad == AutoPad::none;
}

}  // namespace

std::vector<int64_t> list_of(Node& node, std::string_view name, size_t count, int64_t standard) {
  std::vector<int64_t> list = node.integers(name).value_or(std::vector<int64_t>(count, standard));
  if (list.size() != count) {
    node.malformed(fmt::format("attribute {}", name), fmt::format("{} numbers", list.size()), fmt::format("{}", count));
  }
  return list;
}

std::vector<int64_t> kernel_of(const TensorType& weights) {
  if (weights.rank() < 2) throw Unsupported(fmt::format("the weights are {}", to_string(weights)));
  const auto sizes = literal_sizes(Shape(weights.shape.begin() + 2, weights.shape.end()));
  if (!sizes) throw Unsupported(fmt::format("the size of the kernel is open: {}", to_string(weights)));
  return {sizes->begin(), sizes->end()};
}

Window window_of(Node& node, Shape x, std::optional<std::vector<int64_t>> kernel) {
  if (x.size() < 2) node.malformed("x", to_string(x), "[N, C, spatial…]");
  const size_t spatial = x.size() - 2;
  Window window;
  const auto given = node.integers("kernel_shape");
  if (!given && !kernel) node.malformed("attribute kernel_shape", "missing", "ints");
  if (given && kernel && *given != *kernel) {
    node.malformed("attribute kernel_shape", fmt::format("[{}]", fmt::join(*given, ", ")),
                   fmt::format("[{}] as the weights have it", fmt::join(*kernel, ", ")));
  }
  window.kernel = given ? *given : *kernel;
  if (window.kernel.size() != spatial) {
    node.malformed("the kernel", fmt::format("{} sizes", window.kernel.size()), fmt::format("{}", spatial));
  }
  window.strides = list_of(node, "strides", spatial, 1);
  window.dilations = list_of(node, "dilations", spatial, 1);
  window.auto_pad = node.choice<AutoPad>("auto_pad", "NOTSET",
                                         {{"NOTSET", AutoPad::none},
                                          {"SAME_UPPER", AutoPad::same_upper},
                                          {"SAME_LOWER", AutoPad::same_lower},
                                          {"VALID", AutoPad::valid}});
  const std::vector<int64_t> pads = list_of(node, "pads", 2 * spatial, 0);
  for (size_t i = 0; i < spatial; ++i) {
    for (const int64_t number : {window.kernel[i], window.strides[i], window.dilations[i]}) {
      if (number >= 1 && number <= std::numeric_limits<int32_t>::max()) continue;
      node.malformed("kernel, strides or dilations", fmt::format("{}", number), "1..2147483647");
    }
    const bool listed = window.auto_pad == AutoPad::none;  // with auto_pad the list says nothing
    window.before.emplace_back(listed ? pads[i] : 0);
    window.after.emplace_back(listed ? pads[spatial + i] : 0);
    if (is_same(window.auto_pad)) pad_to_same(window, i, x[i + 2]);
  }
  window.x = std::move(x);
  return window;
}

Var fitted(Var x, const Window& window) {
  Shape shape = x.shape();
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    const Dim minimum = window.extent(i) - window.before[i] - window.after[i];
    const Dim windows = floor_div(shape[i + 2] - minimum, window.strides[i]) + 1;
    if (less_equal(0, windows) != Proof::yes) shape[i + 2] = max(shape[i + 2], minimum);
  }
  return ensure(x, shape);
}

Var with_same_sizes(Var y, const Window& window) {
  if (!is_same(window.auto_pad)) return y;
  Shape shape = y.shape();
  for (size_t i = 0; i < window.kernel.size(); ++i) shape[i + 2] = ceil_div(window.x[i + 2], window.strides[i]);
  return ensure(y, shape);
}

// -------------------------------------------------------------------------------------------------------- convolution

Var with_channels(Var x, Var w, int64_t groups) { return ensure_size(x, 1, w.dim(1) * groups); }

Var convolved(Node& node, Var x, Var w, std::optional<Var> bias) {
  const int64_t groups = node.integer("group", 1);
  const Window window = window_of(node, x.shape(), kernel_of(w.type()));
  const Var y = x.graph().conv(fitted(with_channels(x, w, groups), window), w,
                               {.bias = bias,
                                .strides = window.strides,
                                .dilations = window.dilations,
                                .before = window.before,
                                .after = window.after,
                                .groups = groups});
  return with_same_sizes(y, window);
}

Var integer_convolved(Node& node, Var x, Var w, std::optional<Var> x_zero, std::optional<Var> w_zero) {
  const int64_t groups = node.integer("group", 1);
  const Window window = window_of(node, x.shape(), kernel_of(w.type()));
  const Var y = x.graph().integer_conv(fitted(with_channels(x, w, groups), window), w,
                                       {.x_zero = x_zero,
                                        .w_zero = w_zero,
                                        .strides = window.strides,
                                        .dilations = window.dilations,
                                        .before = window.before,
                                        .after = window.after,
                                        .groups = groups});
  return with_same_sizes(y, window);
}

// --------------------------------------------------------------------------------------------------------------- pools

options::Pool pool_options(Node& node, const Window& window) {
  return {.strides = window.strides,
          .dilations = window.dilations,
          .before = window.before,
          .after = window.after,
          .ceil_mode = rounds_up(node, window)};
}

Var average_pooled(Node& node, Var x) {
  const Window window = window_of(node, x.shape());
  options::Pool options = pool_options(node, window);
  options.count_include_pad = node.flag("count_include_pad", false);
  return with_same_sizes(x.graph().pool_avg(fitted(x, window), window.kernel, options), window);
}

}  // namespace ingot::onnx
