// Evaluation of constants: what passes fold with.
//
// Threads    a pure function.
// Failure    what the engine throws; Code::limit where it would take more than a moment.
#pragma once

#include <vector>

#include "program/program.h"

namespace ingot::reference {

// The outputs of the only graph of a program, which has no inputs and touches no state.
std::vector<Tensor> evaluate(const Program& program);

}  // namespace ingot::reference
