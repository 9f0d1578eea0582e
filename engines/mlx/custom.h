// Custom ops on MLX: functions from arrays to arrays.
//
//   add_mlx_op(registry, "acme.scale", [](const auto& operands, const MlxCall& call) {
//     const array factor(call.attributes[0].reals[0], operands[0].dtype());
//     return std::vector{mx::multiply(operands[0], factor, call.stream)};
//   });
//
// A function builds lazy arrays on the stream of the call. Mode `compiled` calls it once for the sizes of a call, with
// arrays that hold no values, and replays what it built. A function that looks at values says so with `reads_values`: every
// call then calls it, with operands that are computed and dense. Operands and results are as engines/mlx/convert.h keeps
// them: storage dtypes as bytes.
//
// An op without an execution on MLX falls back on its reference function: operands are copied to the host, results back.
//
// Threads    the device's worker calls the function, which must not wait for other threads that run sessions there.
// Failure    what the function throws fails the call, as does a result that is not what the op declares.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/mlx/mlx.h"
#include "engines/registry.h"

namespace ingot::mlx_engine {

struct MlxCall : CustomCall {
  mx::Stream stream;
};

using MlxFunction = std::function<std::vector<array>(const std::vector<array>& operands, const MlxCall& call)>;

struct MlxOpOptions {
  bool reads_values = false;
};

// Registry::add_execution and replace_execution for this engine.
void add_mlx_op(Registry& registry, const std::string& name, MlxFunction function, MlxOpOptions options = {});
void replace_mlx_op(Registry& registry, const std::string& name, MlxFunction function, MlxOpOptions options = {});

// ---- for the engine

// What the engine runs for an op of the host: one of the two functions.
struct HostOp {
  MlxFunction function;
  std::shared_ptr<const ReferenceOp> fallback;
  bool reads_values = false;
};
using HostOps = CustomOps<HostOp>;

// Throws where an op has neither an execution on MLX nor a reference function.
HostOps host_ops(const Program& program, const Registry& registry);

}  // namespace ingot::mlx_engine
