// Ops of the host: what its registry says. Their results are checked, since nobody else has.
#include <utility>

#include "engines/reference/execute.h"
#include "engines/reference/kernel.h"

namespace ingot::reference {

static void kernel(const op::Custom& op, Frame& frame) {
  const ReferenceOp& function = *frame.plan().custom_ops.at(op.name);
  std::vector<Tensor> results = from_host(op.name, [&] { return function(frame.tensors(op.operands), op.attributes); });
  check_result_count(op, results.size());
  for (uint32_t i = 0; i < results.size(); ++i) {
    const Sizes sizes = frame.sizes(op.results[i].shape);
    const TensorType expected{op.results[i].dtype, Shape(sizes.begin(), sizes.end()), op.results[i].scheme};
    const TensorType actual = results[i].type();
    if (actual != expected) refuse_result(op, i, to_string(actual), to_string(expected));
    frame.adopt(i, results[i].aligned());
  }
}

INGOT_KERNELS(custom)

}  // namespace ingot::reference
