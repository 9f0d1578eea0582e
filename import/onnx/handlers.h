// The table of handlers: which function imports which op.
//
// A family is a file in import/onnx/ops with a function that returns its rows; handlers.cpp collects them. To add an op:
// a function `void f(Node& node, GraphBuilder& graph)` and a row. It reads its inputs and attributes through the Node,
// adds to the graph, and sets the outputs; it throws Unsupported for what it cannot do. Sizes that cannot be proven are
// the business of import/onnx/sizes.h.
//
// Threads    constant tables.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "import/onnx/node.h"

namespace ingot::onnx {

using Handle = void (*)(Node& node, GraphBuilder& graph);

struct Handler {
  std::string_view op;
  int64_t since;  // the oldest version of the opset that it understands
  Handle handle;
  std::string_view domain = "ai.onnx";
  int64_t until = std::numeric_limits<int64_t>::max();
};

// One for each file of import/onnx/ops.
std::span<const Handler> activation_handlers();
std::span<const Handler> attention_handlers();
std::span<const Handler> cast_handlers();
std::span<const Handler> constant_handlers();
std::span<const Handler> control_handlers();
std::span<const Handler> conv_handlers();
std::span<const Handler> create_handlers();
std::span<const Handler> elementwise_handlers();
std::span<const Handler> fft_handlers();
std::span<const Handler> image_handlers();
std::span<const Handler> index_handlers();
std::span<const Handler> layout_handlers();
std::span<const Handler> linalg_handlers();
std::span<const Handler> loop_handlers();
std::span<const Handler> loss_handlers();
std::span<const Handler> matmul_handlers();
std::span<const Handler> microsoft_handlers();
std::span<const Handler> microsoft_attention_handlers();
std::span<const Handler> microsoft_blocks_handlers();
std::span<const Handler> microsoft_quant_handlers();
std::span<const Handler> ml_handlers();
std::span<const Handler> ml_linear_handlers();
std::span<const Handler> ml_trees_handlers();
std::span<const Handler> ngram_handlers();
std::span<const Handler> norm_handlers();
std::span<const Handler> pool_handlers();
std::span<const Handler> quant_handlers();
std::span<const Handler> recurrent_handlers();
std::span<const Handler> reduce_handlers();
std::span<const Handler> sequence_handlers();
std::span<const Handler> shape_handlers();
std::span<const Handler> slice_handlers();
std::span<const Handler> sort_handlers();
std::span<const Handler> training_handlers();

const std::vector<Handler>& all_handlers();

// Throws Unsupported where no row fits, with what would.
const Handler& find_handler(std::string_view domain, std::string_view op, int64_t version);

}  // namespace ingot::onnx
