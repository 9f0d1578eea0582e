// What a valid program may hold and this engine cannot run.
//
// Threads    pure functions. Failure  Code::unsupported with the op and where it stands.
#pragma once

#include "program/error.h"
#include "program/program.h"

namespace ingot::reference {

// There is no way yet for a host to register its ops.
Error not_registered(const op::Custom& op);

// Throws when a graph has such an op, whether or not a method reaches it.
void check_supported(const Program& program);

}  // namespace ingot::reference
