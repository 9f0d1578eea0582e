// Kernels: what every op computes.
//
// The kernel of an op is a function `kernel(const op::X&, Frame&)` in engines/reference/ops/<family>.cpp, in the order
// of the schema; INGOT_KERNELS(family) at the end of that file binds them, so an op without one does not compile.
// Inference has checked everything that a type can say: kernels compute, and refuse only what values decide.
//
// Threads    as Frame.
// Failure    Error; whoever runs the node adds its op and name.
#pragma once

#include "engines/reference/frame.h"
#include "gen/families.h"
#include "program/bind.h"

namespace ingot::reference {

// Defined for every op by INGOT_KERNELS.
template <class O>
void run(const O& op, Frame& frame);

#define INGOT_BIND_KERNEL(O)                                                     \
  template <>                                                                    \
  void run<op::O>(const op::O& each, Frame& frame) {                             \
    INGOT_CALL(O, void, kernel(op, frame), "kernel(const op::" #O "&, Frame&)"); \
  }
#define INGOT_KERNELS(family) INGOT_OPS_OF_##family(INGOT_BIND_KERNEL)

}  // namespace ingot::reference
