// Narrow: the address space of the process, so many bytes more than it has, for as long as this lives.
//
// What takes more gets no memory: a test of limits fails, and its machine stays usable. Sanitizers take address space of
// their own, so that it does nothing under them.
#pragma once

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#endif

#include <cstdint>

#include "tests/support/sanitized.h"

namespace ingot::test {

class Narrow {
 public:
#ifdef __linux__
  explicit Narrow(int64_t more) {
    getrlimit(RLIMIT_AS, &before_);
    if (is_sanitized) return;
    int64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit narrow = before_;
    narrow.rlim_cur = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE) + more);
    setrlimit(RLIMIT_AS, &narrow);
  }
  ~Narrow() { setrlimit(RLIMIT_AS, &before_); }
#else
  explicit Narrow(int64_t) {}
#endif
  Narrow(const Narrow&) = delete;
  Narrow& operator=(const Narrow&) = delete;

#ifdef __linux__
 private:
  rlimit before_{};
#endif
};

}  // namespace ingot::test
