#include "engines/reference/execute.h"

#include <utility>

#include "program/last_use.h"

namespace ingot::reference {
Plan make_plan(Program program, bool poison, CustomOps<std::shared_ptr<const ReferenceOp>> custom_ops) {
  for (Weight& weight : program.weights) {
    weight.tensor = contents_of(weight);
    weight.zeros = false;
  }
  Plan plan{std::move(program), {}, poison, std::move(custom_ops)};
  for (const Graph& graph : plan.program.graphs) plan.dead_after.push_back(dead_after(graph));
  return plan;
}

std::vector<Tensor> execute(const Plan& plan, GraphId graph, std::vector<Tensor> inputs, Bindings bindings,
                            States& states, const RunLimits& limits, const std::atomic<bool>* cancelled,
                            const Observer& observer) {
  Meter meter(limits);
  return execute(plan, graph, std::move(inputs), std::move(bindings), states, meter, cancelled, observer);
}

std::vector<Tensor> execute(const Plan& plan, GraphId graph, std::vector<Tensor> inputs, Bindings bindings,
                            States& states, Meter& meter, const std::atomic<bool>* cancelled,
                            const Observer& observer) {
  Call call{plan, meter, states, cancelled, observer};
  return Frame(call, graph, std::move(inputs), std::move(bindings)).run();
}

}  // namespace ingot::reference
