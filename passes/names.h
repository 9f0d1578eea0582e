// Names for what a pass adds.
#pragma once

#include <algorithm>
#include <string>

namespace ingot {

// The name, or one like it that nothing in the range has.
template <class Range>
std::string free_name(const Range& taken, std::string name) {
  while (std::ranges::any_of(taken, [&](const auto& item) { return item.name == name; })) name += "'";
  return name;
}

}  // namespace ingot
