// Evaluation while importing: the contents of a value that depends on constants alone.
//
// The reference engine does the computing, so that folding has no formulas of its own.
//
// Threads    pure functions.
// Failure    what the engine throws; Code::limit where it would take more than a moment.
#pragma once

#include <functional>

#include "program/program.h"

namespace ingot::onnx {

// Precondition: every node that the value depends on stands alone (passes/effects.h). `input` gives the contents of
// an input of the graph.
Tensor evaluate(const Program& program, const Graph& graph, Ref value, const std::function<Tensor(Ref)>& input);

}  // namespace ingot::onnx
