// Convolutions. Sizes are [N, C, spatial…] as in Ingot.
#include <fmt/format.h>

#include <limits>

#include "import/onnx/handlers.h"
#include "import/onnx/runtime_axes.h"
#include "import/onnx/window.h"

namespace ingot::onnx {
namespace {

void conv(Node& node, GraphBuilder&) {
  node.set(0, convolved(node, node.input(0), node.input(1), node.optional_input(2)));
}

// ------------------------------------------------------------------------------------------------------- transposed

struct Cuts {
  Shape before, after, added;
};

// What is cut off and added along each axis. Where sizes of the result are wanted they say it, half on either side: an
// odd element goes to the front, but with SAME_UPPER behind.
Cuts cuts_of(Node& node, const Window& window, const Shape& x) {
  const size_t spatial = window.kernel.size();
  const std::vector<int64_t> padding = list_of(node, "output_padding", spatial, 0);
  auto wanted = node.integers("output_shape");
  if (wanted && wanted->size() == spatial + 2) wanted->erase(wanted->begin(), wanted->begin() + 2);
  if (wanted && wanted->size() != spatial) {
    node.malformed("attribute output_shape", fmt::format("{} sizes", wanted->size()), fmt::format("{}", spatial));
  }
  const bool same = window.auto_pad == AutoPad::same_upper || window.auto_pad == AutoPad::same_lower;
  Cuts cuts{window.before, window.after, Shape(padding.begin(), padding.end())};
  if (!wanted && !same) return cuts;
  for (size_t i = 0; i < spatial; ++i) {
    const Dim& size = x[i + 2];
    const Dim target = wanted ? Dim((*wanted)[i]) : size * window.strides[i];
    const Dim total = (size - 1) * window.strides[i] + padding[i] + window.extent(i) - target;
    const Dim cut = max(total, 0), less = floor_div(cut, 2), more = cut - less;
    cuts.before[i] = window.auto_pad == AutoPad::same_upper ? less : more;
    cuts.after[i] = window.auto_pad == AutoPad::same_upper ? more : less;
    cuts.added[i] = cuts.added[i] + max(total * -1, 0);
  }
  return cuts;
}

void conv_transpose(Node& node, GraphBuilder& graph) {
  const int64_t groups = node.integer("group", 1);
  const Shape shape = node.type(0).shape;
  const Window window = window_of(node, shape, kernel_of(node.type(1)));
  const Cuts cuts = cuts_of(node, window, shape);
  const Var w = node.input(1);
  Shape enough = shape;
  enough[1] = w.dim(0);
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    const Dim cut = cuts.before[i] + cuts.after[i] - window.extent(i) - cuts.added[i];
    if (less_equal(cut, (shape[i + 2] - 1) * window.strides[i]) != Proof::yes) {
      enough[i + 2] = max(shape[i + 2], max(ceil_div(cut, window.strides[i]) + 1, 1));
    }
  }
  node.set(0, graph.conv_transpose(ensure(node.input(0), enough), w,
                                   {.bias = node.optional_input(2),
                                    .strides = window.strides,
                                    .dilations = window.dilations,
                                    .before = cuts.before,
                                    .after = cuts.after,
                                    .output_padding = cuts.added,
                                    .groups = groups}));
}

// ------------------------------------------------------------------------------------------------------------ others

void deform_conv(Node& node, GraphBuilder& graph) {
  const int64_t groups = node.integer("group", 1), offset_groups = node.integer("offset_group", 1);
  const Window window = window_of(node, node.type(0).shape, kernel_of(node.type(1)));
  if (window.kernel.size() != 2) throw Unsupported(fmt::format("it has {} spatial axes", window.kernel.size()));
  const Var w = node.input(1), x = fitted(with_channels(node.input(0), w, groups), window);
  node.set(0, graph.deform_conv(x, w, node.input(2),
                                {.bias = node.optional_input(3),
                                 .mask = node.optional_input(4),
                                 .strides = window.strides,
                                 .dilations = window.dilations,
                                 .before = window.before,
                                 .after = window.after,
                                 .groups = groups,
                                 .offset_groups = offset_groups}));
}

// Each channel of the past and x together with its own kernel [C, 1, k]; the last k-1 elements are the next past.
void causal_conv(Node& node, GraphBuilder& graph) {
  const bool silu = node.choice<bool>("activation", "none", {{"none", false}, {"silu", true}, {"swish", true}});
  const Var x = node.input(0), w = node.input(1);
  const std::vector<int64_t> kernel = kernel_of(w.type());
  const Dim channels = w.dim(0);
  if (x.type().rank() != 3 || kernel.size() != 1 || kernel[0] < 1 || !channels.is_literal()) {
    throw Unsupported(fmt::format("input is {} and weight {}", to_string(x.type()), to_string(w.type())));
  }
  const Dim kept = kernel[0] - 1;
  const Shape past_shape{x.dim(0), channels, kept};
  const Var past = node.has(3) ? ensure(node.input(3), past_shape) : graph.full(past_shape, 0, {.dtype = x.dtype()});
  const Var all = graph.concatenate({past, ensure_size(x, 1, channels)}, {.axis = 2});
  const Var y = graph.conv(all, w, {.bias = node.optional_input(2), .groups = channels.literal()});
  node.set(0, silu ? graph.silu(y) : y);
  node.set(1, graph.slice(all, {2}, {all.dim(2) - kept}, {all.dim(2)}));
}

struct Folding {
  Shape image;
  std::vector<int64_t> strides, dilations, pads;
};

// Blocks of sizes that are data: every element is added at its place of the image, those in the padding nowhere.
Var folded_blocks(Node& node, Var x, const Folding& by, const Shape& block) {
  GraphBuilder& graph = node.graph();
  const size_t spatial = by.image.size();
  if (block.size() != spatial || x.type().rank() != 3) {
    node.malformed("input", fmt::format("{} with {} sizes of blocks", to_string(x.type()), block.size()),
                   fmt::format("rank 3 with {}", spatial));
  }
  const auto check = [&](const std::vector<int64_t>& numbers, int64_t least) {
    for (const int64_t number : numbers) {
      if (number >= least && number <= std::numeric_limits<int32_t>::max()) continue;
      node.malformed("strides, dilations or pads", fmt::format("{}", number), fmt::format("{}..2147483647", least));
    }
  };
  check(by.strides, 1);
  check(by.dilations, 1);
  check(by.pads, 0);
  const auto number = [&](int64_t value) { return graph.scalar(value, DType::i64); };
  Shape windows;
  Var place = number(0), inside = graph.scalar(1, DType::bool_);
  for (size_t i = 0; i < spatial; ++i) {
    const Dim room = by.image[i] + by.pads[i] + by.pads[spatial + i] - (block[i] - 1) * by.dilations[i] - 1;
    windows.push_back(max(floor_div(room, by.strides[i]) + 1, 0));
    Shape of_block(2 * spatial, 1), of_window = of_block;
    of_block[i] = block[i];
    of_window[spatial + i] = windows[i];
    const Var at = reshape(graph.iota(block[i]) * by.dilations[i], of_block) +
                   reshape(graph.iota(windows[i]) * by.strides[i] - by.pads[i], of_window);
    const Var size = graph.size_of(by.image[i]);
    inside = graph.logical_and(inside, graph.logical_and(graph.ge(at, number(0)), graph.lt(at, size)));
    place = place * size + at;
  }
  const Dim batch = x.dim(0), elements = element_count(block), count = element_count(windows);
  const Dim channels = quotient_of(x.dim(1), elements), each = elements * count;
  x = reshape(ensure(x, {batch, channels * elements, count}), {batch, channels, each});
  const Var places = broadcast_to(reshape(graph.select(inside, place, number(-1)), {each}), {batch, channels, each});
  const Var image = graph.full({batch, channels, element_count(by.image)}, 0, {.dtype = x.dtype()});
  Shape result{batch, channels};
  result.insert(result.end(), by.image.begin(), by.image.end());
  return reshape(graph.scatter_add(image, places, x, {.axis = 2, .mode = IndexMode::drop}), result);
}

void col2im(Node& node, GraphBuilder& graph) {
  const std::vector<Dim> image = node.dims(1);
  const size_t spatial = image.size();
  const std::vector<int64_t> pads = list_of(node, "pads", 2 * spatial, 0);
  if (is_data(node, 2)) {
    const Shape block = bind_sizes(node, reshape(node.input(2), {node.length(2)}), 1);
    const auto strides = list_of(node, "strides", spatial, 1), dilations = list_of(node, "dilations", spatial, 1);
    return node.set(0, folded_blocks(node, node.input(0), {image, strides, dilations, pads}, block));
  }
  const std::vector<int64_t> block = node.constant_integers(2);
  const auto half = pads.begin() + static_cast<std::ptrdiff_t>(spatial);
  node.set(0, graph.fold(node.input(0), image, block,
                         {.strides = list_of(node, "strides", spatial, 1),
                          .dilations = list_of(node, "dilations", spatial, 1),
                          .before = Shape(pads.begin(), half),
                          .after = Shape(half, pads.end())}));
}

constexpr Handler rows[] = {
    {"CausalConvWithState", 27, causal_conv}, {"Col2Im", 18, col2im},          {"Conv", 1, conv},
    {"ConvTranspose", 1, conv_transpose},     {"DeformConv", 19, deform_conv},
};

}  // namespace

std::span<const Handler> conv_handlers() { return rows; }

}  // namespace ingot::onnx
