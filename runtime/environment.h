// What INGOT_ENGINE, INGOT_DEVICE and INGOT_MODE ask for.
//
//   Session session(compile(program, options_from_environment()));
//
// Threads    as getenv. Failure  `compile` refuses what does not exist.
#pragma once

#include "runtime/executable.h"

namespace ingot {

// The options that `compile` has by itself, apart from the variables that are set.
CompileOptions options_from_environment();

}  // namespace ingot
