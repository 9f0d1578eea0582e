// The reference engine (engines/engine.h): plain loops on the host, one thread for each call.
#pragma once

#include "engines/engine.h"

namespace ingot::reference {

const Engine& engine();

}  // namespace ingot::reference
