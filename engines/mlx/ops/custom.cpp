// Ops of the host: what its registry says. Their results are checked, since nobody else has.
#include "engines/mlx/custom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "engines/mlx/lowering.h"
#include "engines/mlx/plan.h"

namespace ingot::mlx_engine {
namespace {

std::string text_of(mx::Dtype dtype, const mx::Shape& shape) {
  return fmt::format("{}[{}]", to_string(from_mlx(dtype)), fmt::join(shape, ", "));
}

void check_result(const op::Custom& op, uint32_t i, const array& actual, Frame& frame) {
  const TensorType& type = frame.result_type(i);
  const mx::Dtype dtype = to_mlx(type.dtype);
  const mx::Shape shape = stored_shape(type.dtype, frame.sizes(type.shape), type.scheme);
  if (actual.dtype() == dtype && actual.shape() == shape) return;
  std::string expected = text_of(dtype, shape);
  if (kind(type.dtype) == Kind::storage) expected += fmt::format(" (the bytes of {})", to_string(type));
  refuse_result(op, i, text_of(actual.dtype(), actual.shape()), std::move(expected));
}

std::vector<array> emit(const op::Custom& op, Frame& frame) {
  const MlxOp& function = *frame.plan().custom_ops.at(op.name);
  std::vector<array> results =
      from_host(op.name, [&] { return function(frame.in(op.operands), op.attributes, frame.stream()); });
  check_result_count(op, results.size());
  for (uint32_t i = 0; i < results.size(); ++i) check_result(op, i, results[i], frame);
  return results;
}

}  // namespace

void add_mlx_op(Registry& registry, const std::string& name, MlxOp function) {
  registry.add_execution(name, "mlx", std::move(function));
}

INGOT_LOWERINGS(custom)

}  // namespace ingot::mlx_engine
