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

// Whether the op needs its operands and nothing else: no graph, state or symbol, and only sizes that are literal.
bool stands_alone(const Op& op);

// f(operand) for every operand of the op.
void each_operand(const Op& op, const std::function<void(Ref)>& f);

// Precondition: every node that the value depends on stands alone. `input` gives the contents of an input of the graph.
Tensor evaluate(const Program& program, const Graph& graph, Ref value, const std::function<Tensor(Ref)>& input);

}  // namespace ingot::onnx
