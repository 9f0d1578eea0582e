// Names: gives out names that are all different.
//
// Threads    one thread at a time. Failure  none.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ingot::onnx {

class Names {
 public:
  // The name itself, or where it is taken `name_2`, `name_3` and so on.
  std::string fresh(std::string_view name) {
    std::string unique(name);
    if (taken_.insert(unique).second) return unique;
    int& last = last_.try_emplace(unique, 1).first->second;  // where to go on, so that many equal names stay cheap
    do unique = fmt::format("{}_{}", name, ++last);
    while (!taken_.insert(unique).second);
    return unique;
  }

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_;
};

}  // namespace ingot::onnx
