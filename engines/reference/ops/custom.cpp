// Ops of the host, as its registry has them. Their results are checked here, since inference has not seen them.
#include "engines/reference/execute.h"
#include "engines/reference/kernel.h"

namespace ingot::reference {

static void kernel(const op::Custom& op, Frame& frame) {
  const std::vector<Tensor> operands = frame.tensors(op.operands);
  CustomCall call{.operand_types = {}, .result_types = {}, .attributes = op.attributes};
  for (const Tensor& operand : operands) call.operand_types.push_back(operand.type());
  for (const TensorType& type : op.results) call.result_types.push_back(with_sizes(type, frame.sizes(type.shape)));
  const std::vector<Tensor> results = run_reference(*frame.plan().custom_ops.at(op.name), op, operands, call);
  for (uint32_t i = 0; i < results.size(); ++i) frame.adopt(i, results[i].aligned());
}

INGOT_KERNELS(custom)

}  // namespace ingot::reference
