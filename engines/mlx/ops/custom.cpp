// Ops of the host, as its registry has them. Their results are checked here, since inference has not seen them.
#include "engines/mlx/custom.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

#include "engines/mlx/lowering.h"
#include "engines/mlx/parts.h"
#include "engines/mlx/plan.h"

namespace ingot::mlx_engine {
namespace {

using Arrays = std::vector<array>;

// What the registry keeps for this engine.
struct MlxOp {
  MlxFunction function;
  MlxOpOptions options;
  explicit operator bool() const { return static_cast<bool>(function); }
};

HostOp host_op(const CustomOp& op) {
  if (const auto own = op.execution<MlxOp>("mlx")) return {own->function, nullptr, own->options.reads_values};
  if (auto reference = op.reference()) return {{}, std::move(reference), true};
  throw Error(
      Code::unsupported,
      fmt::format("the host has registered no execution of op '{}' on mlx, and no reference to fall back on", op.name));
}

MlxCall call_of(const op::Custom& op, Frame& frame) {
  MlxCall call{{.operand_types = {}, .result_types = {}, .attributes = op.attributes}, frame.stream()};
  for (Ref ref : op.operands) call.operand_types.push_back(with_sizes(frame.type(ref), frame.sizes(ref)));
  for (const TensorType& type : op.results) call.result_types.push_back(with_sizes(type, frame.sizes(type.shape)));
  return call;
}

// The operands with values that the host may read. On a GPU they are copies: reading moves memory that others may use.
Arrays readable(const op::Custom& op, Frame& frame) {
  Arrays operands = frame.in(op.operands);
  if (!frame.on_cpu()) {
    for (array& operand : operands) operand = copied(operand, frame.stream());
  }
  return frame.evaluated(std::move(operands));
}

Arrays run_fallback(const ReferenceOp& reference, const op::Custom& op, const Arrays& operands, const MlxCall& call) {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < operands.size(); ++i) {
    const TensorType& type = call.operand_types[i];
    tensors.push_back(download(operands[i], type.dtype, *literal_sizes(type.shape), type.scheme));
  }
  Arrays results;
  for (const Tensor& result : run_reference(reference, op, tensors, call)) results.push_back(upload(result));
  return results;
}

std::string text_of(mx::Dtype dtype, const mx::Shape& shape) {
  return fmt::format("{}[{}]", to_string(from_mlx(dtype)), fmt::join(shape, ", "));
}

void check_result(const op::Custom& op, size_t i, const array& actual, const TensorType& type) {
  const mx::Dtype dtype = to_mlx(type.dtype);
  const mx::Shape shape = stored_shape(type.dtype, *literal_sizes(type.shape), type.scheme);
  if (actual.dtype() == dtype && actual.shape() == shape) return;
  std::string expected = text_of(dtype, shape);
  if (kind(type.dtype) == Kind::storage) expected += fmt::format(" (the bytes of {})", to_string(type));
  refuse_result(op, i, text_of(actual.dtype(), actual.shape()), std::move(expected));
}

Arrays emit(const op::Custom& op, Frame& frame) {
  const HostOp& host = frame.plan().host_ops.at(op.name);
  const MlxCall call = call_of(op, frame);
  const Arrays operands = host.reads_values ? readable(op, frame) : frame.in(op.operands);
  if (host.fallback) return run_fallback(*host.fallback, op, operands, call);
  Arrays results = from_host(op.name, [&] { return host.function(operands, call); });
  check_result_count(op, results.size());
  for (size_t i = 0; i < results.size(); ++i) check_result(op, i, results[i], call.result_types[i]);
  return results;
}

}  // namespace

void add_mlx_op(Registry& registry, const std::string& name, MlxFunction function, MlxOpOptions options) {
  registry.add_execution(name, "mlx", MlxOp{std::move(function), options});
}

void replace_mlx_op(Registry& registry, const std::string& name, MlxFunction function, MlxOpOptions options) {
  registry.replace_execution(name, "mlx", MlxOp{std::move(function), options});
}

HostOps host_ops(const Program& program, const Registry& registry) { return custom_ops(program, registry, host_op); }

INGOT_LOWERINGS(custom)

}  // namespace ingot::mlx_engine
