// Whether this build has sanitizers: what is drawn at random takes ten times as long there, so less of it is.
#pragma once

#include <string_view>

#include "gen/build_facts.h"

namespace ingot::test {

inline constexpr bool is_sanitized = !std::string_view(build::sanitizers).empty();

}  // namespace ingot::test
