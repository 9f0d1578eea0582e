// How much memory this process takes by `operator new`, so that a test can tell what reading a file costs at most.
#pragma once

#include <cstddef>

namespace ingot::test {

// Bytes held now.
size_t allocated();
// The most that was held at one time since the last call of this function or the start.
size_t take_peak();

}  // namespace ingot::test
