// What INGOT_ENGINE, INGOT_DEVICE, INGOT_MODE and INGOT_THREADS ask for. Names are read in upper or lower case.
//
//   Session session(compile(program));                                    // from the environment
//   Session session(compile(program, options_from_environment({...})));   // what the code leaves open from the environment
//
// Threads    as getenv.
// Failure    Error that names the variable: Code::not_found for an engine, device or mode that does not exist, with those
//            that do; Code::invalid_argument for an empty value and a number of threads that is none.
#pragma once

#include "runtime/executable.h"

namespace ingot {

// The options, where engine, device, mode and threads that are not set come from the variables that are.
CompileOptions options_from_environment(CompileOptions options = {});

}  // namespace ingot
