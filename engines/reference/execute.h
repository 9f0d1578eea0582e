// Execution of programs on the reference engine.
//
// Ownership  a Plan owns its program; tensors that come out are the caller's.
// Threads    a Plan is immutable: any number of calls at one time. A call is one thread.
// Failure    Error with the op and where it stands: `forward: %h "layer0/MatMul"`.
#pragma once

#include <vector>

#include "engines/reference/frame.h"
#include "engines/registry.h"

namespace ingot::reference {

// A program, and what running its graphs needs to know about them.
struct Plan {
  Program program;  // its zeros are tensors
  // By graph and node: the values that no later node or output reads.
  std::vector<std::vector<std::vector<Ref>>> dead_after;
  bool poison = false;  // results begin as garbage
  CustomOps<std::shared_ptr<const ReferenceOp>> custom_ops = {};
};

// Precondition: the program has passed `verify`, and every custom op has its function.
Plan make_plan(Program program, bool poison = false, CustomOps<std::shared_ptr<const ReferenceOp>> custom_ops = {});

// The outputs of a graph. Precondition: the inputs are what it declares under `bindings`, and no weight that it reads is
// missing. Writes go to `states` and are the caller's to commit. Between two nodes it looks whether it was cancelled.
std::vector<Tensor> execute(const Plan& plan, GraphId graph, std::vector<Tensor> inputs, Bindings bindings,
                            States& states, const RunLimits& limits, const std::atomic<bool>* cancelled = nullptr,
                            const Observer& observer = {});
// The same, where several executions share what one meter allows. The outputs count for as long as they live.
std::vector<Tensor> execute(const Plan& plan, GraphId graph, std::vector<Tensor> inputs, Bindings bindings,
                            States& states, Meter& meter, const std::atomic<bool>* cancelled = nullptr,
                            const Observer& observer = {});

}  // namespace ingot::reference
