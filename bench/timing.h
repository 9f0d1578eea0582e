// Timing for benchmarks: repeat, sort, report minimum and median.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace ingot::bench {

struct Timing {
  double min_ms, median_ms;
};

template <class F>
Timing time(int runs, F&& f) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  return {times.front(), times[times.size() / 2]};
}

// Resident memory of this process now, in MiB.
inline double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  uint64_t total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * 4096 / (1 << 20);
}

}  // namespace ingot::bench
