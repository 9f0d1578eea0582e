// Evaluation while importing: the contents of a value that depends on constants alone.
//
// The reference engine does the computing, so that folding has no formulas of its own.
//
// Threads    pure functions, apart from the Meter, which belongs to one thread.
// Failure    what the engine throws; Code::limit where the meter has less left than it takes.
#pragma once

#include <functional>
#include <optional>

#include "engines/reference/frame.h"
#include "program/program.h"

namespace ingot::onnx {

// Precondition: every node that the value depends on stands alone (passes/effects.h). `known` gives the contents of
// inputs of the graph, and of any other value that need not be computed again.
Tensor evaluate(const Program& program, const Graph& graph, Ref value,
                const std::function<std::optional<Tensor>(Ref)>& known, reference::Meter& meter);

}  // namespace ingot::onnx
