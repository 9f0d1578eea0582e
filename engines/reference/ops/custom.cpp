// Ops of the host. A program that holds one does not compile (engines/reference/supported.h), so this is the second
// door.
#include "engines/reference/kernel.h"
#include "engines/reference/supported.h"

namespace ingot::reference {

static void kernel(const op::Custom& op, Frame&) { throw not_registered(op); }

INGOT_KERNELS(custom)

}  // namespace ingot::reference
