// Where a file is mapped in this process, as the system says.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace ingot::test {

struct Mapping {
  uintptr_t begin = 0, end = 0;  // both 0 where it is not mapped
};

inline Mapping mapping_of(const std::filesystem::path& path) {
  std::ifstream maps("/proc/self/maps");
  Mapping found;
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(" " + path.string())) continue;
    if (std::sscanf(line.c_str(), "%lx-%lx", &found.begin, &found.end) == 2) return found;
  }
  return {};
}

}  // namespace ingot::test
