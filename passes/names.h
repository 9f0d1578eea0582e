// Names for what a pass adds.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_set>

namespace ingot {

// The name, or one like it that nothing in the range has.
template <class Range>
std::string free_name(const Range& taken, std::string name) {
  while (std::ranges::any_of(taken, [&](const auto& item) { return item.name == name; })) name += "'";
  return name;
}

// The same for many names, each of which is taken from then on.
class FreeNames {
 public:
  template <class Range>
  explicit FreeNames(const Range& taken) {
    for (const auto& item : taken) taken_.insert(item.name);
  }

  std::string claim(std::string name) {
    while (!taken_.insert(name).second) name += "'";
    return name;
  }

 private:
  std::unordered_set<std::string> taken_;
};

}  // namespace ingot
