// MLX arrays as inputs and outputs of calls, for hosts that compute with MLX themselves:
//
//   std::vector<Handle> outputs = session.run_on_device({handle_of(x, executable.device())});
//   mx::array y = array_of(outputs[0]);
//
// Ownership  handle and array share memory.
// Threads    any thread; `handle_of` on one that may evaluate the array.
// Failure    Code::not_found for a device that does not exist, Code::invalid_argument for a handle of another engine.
#pragma once

#include <string_view>

#include "engines/engine.h"
#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Evaluates the array first. Its dtype is that of the input; storage dtypes and packed tensors are uploaded instead.
Handle handle_of(array value, std::string_view device = {});
const array& array_of(const Handle& handle);

}  // namespace ingot::mlx_engine
