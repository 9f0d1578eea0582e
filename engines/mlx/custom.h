// Custom ops on MLX: functions from arrays to arrays.
//
//   add_mlx_op(registry, "acme.scale", [](const auto& operands, const auto& attributes, mx::Stream stream) {
//     const array factor(attributes[0].reals[0], operands[0].dtype());
//     return std::vector{mx::multiply(operands[0], factor, stream)};
//   });
//
// A function builds lazy arrays on the stream it is given and reads no value: mode `compiled` calls it once for the
// sizes of a call, with arrays that have none, and replays what it built. Operands come and results go as
// engines/mlx/convert.h keeps them: storage dtypes as bytes.
//
// Threads    it is the device's worker that calls it: it must not wait for other threads that run sessions there.
// Failure    what it throws fails the call, as does a result that is not what the op declares.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engines/mlx/mlx.h"
#include "engines/registry.h"

namespace ingot::mlx_engine {

using MlxOp = std::function<std::vector<array>(const std::vector<array>& operands, const Attributes& attributes,
                                               mx::Stream stream)>;

void add_mlx_op(Registry& registry, const std::string& name, MlxOp function);

}  // namespace ingot::mlx_engine
