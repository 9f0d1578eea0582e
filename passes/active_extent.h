// Active extent: a program that works on fewer rows than it was made for.
//
//   ActiveProgram few = with_active_extent(program, 512);   // batches of 512
//
// An input whose axis 0 is the literal `upper`, of elements of whole bytes, is taken to hold rows, of which a call may
// have fewer: the first ones. In the new program that size is a symbol of 0 to `upper`, and so is every size that
// follows from it. A method is changed only where a proof about each of its values (passes/rows.h) says that row i of
// its results is the same function of row i of these inputs, whatever the number of rows: then the results of a call
// with n rows are the first n of what all `upper` rows give. Every other method is as it was, and there is a reason.
// Which ops it has does not decide that, but what each of them does with the axis that the rows are on: a softmax along
// another axis is fine, one along the rows is not.
//
// "Same" means the same function of the same numbers: an engine may compute a product of fewer rows by another kernel,
// and round differently. What an input holds by accident counts too: a square matrix of `upper` rows that a product
// sums over is rows that meet, and the method is refused.
//
// Weights, state and all else that does not depend on these inputs is used as it is; where it meets rows, its first
// ones are cut out. A node that nothing uses may be lost. Refused is also what would write to state, bind a symbol, or
// run graphs or code of the host with values that depend on rows, and a method that another graph calls.
//
// Threads    a pure function.
// Failure    Code::invalid_argument unless upper is at least 1; what `verify` throws. Never because a proof fails.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/program.h"

namespace ingot {

// A value that has fewer rows: so many slices of the axis are a row. More than 1 where the method has merged rows with
// what was behind them, as a reshape of [upper, 3, 2] to [upper·3, 2] does.
struct ActiveAxis {
  size_t axis = 0;
  int64_t block = 1;

  bool operator==(const ActiveAxis&) const = default;
};

struct ActiveMethod {
  std::string method;
  std::string reason;                              // why it is as it was, in one sentence; empty where it was changed
  std::vector<bool> inputs;                        // changed: those that take fewer rows, on axis 0
  std::vector<std::optional<ActiveAxis>> outputs;  // changed: none where all is there

  bool applies() const { return reason.empty(); }
};

struct ActiveProgram {
  Program program;                    // ids hold, but for values of changed methods; the symbol, if used, comes last
  std::vector<ActiveMethod> methods;  // all, in their order
};

ActiveProgram with_active_extent(Program program, int64_t upper);

}  // namespace ingot
