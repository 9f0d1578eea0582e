// Linear algebra.
#include "import/onnx/handlers.h"

namespace ingot::onnx {
namespace {

void det(Node& node, GraphBuilder& graph) { node.set(0, graph.det(node.input(0))); }

constexpr Handler rows[] = {
    {"Det", 11, det},
};

}  // namespace

std::span<const Handler> linalg_handlers() { return rows; }

}  // namespace ingot::onnx
