// NamedAttribute: an attribute of a custom op. One of the three holds something.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ingot {

struct NamedAttribute {
  std::string name;
  std::vector<int64_t> ints;
  std::vector<double> reals;
  std::string text;
  bool operator==(const NamedAttribute&) const = default;
};

}  // namespace ingot
