// Two size expressions from bytes: their canonical forms must have the values of the trees, survive print and read, and
// every proof about them must hold for the sizes tried.
#include <cstdio>
#include <cstdlib>

#include "tests/program/random_dim.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ingot::random_dim;
  size_t at = 0;
  const Choose choose = [&](uint64_t n) -> uint64_t {
    uint64_t number = at < size ? data[at++] : 0;
    for (uint64_t left = n >> 8; left > 0; left >>= 8) number = number << 8 | (at < size ? data[at++] : 0);
    return n == 0 ? number : number % n;
  };
  const Case c = random_case(choose, 6, 4);
  if (failure(c).empty()) return 0;
  std::fprintf(stderr, "%s\n", smallest_failure(c).c_str());
  std::abort();
}
