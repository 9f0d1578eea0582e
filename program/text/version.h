// The version of the text form: the number after `ingot` on the first line.
#pragma once

#include <cstdint>

namespace ingot::text {

inline constexpr int64_t kTextVersion = 1;

}  // namespace ingot::text
