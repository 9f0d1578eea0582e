// Guards: what a call promises about values, checked when they are there.
//
// Threads    `submit` and `refuse` on the device's worker; `hold` on any, once they are submitted.
#pragma once

#include <vector>

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

// Begins to compute the arrays together with what the guards say.
void submit(std::vector<array> arrays, const std::vector<Guard>& guards);
// Waits for the guards. Precondition: submitted.
bool hold(const std::vector<Guard>& guards);
// Throws what the first that does not hold has to say. Precondition: there is one.
[[noreturn]] void refuse(const std::vector<Guard>& guards, mx::Stream stream);

}  // namespace ingot::mlx_engine
