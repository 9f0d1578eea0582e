// What depends on weights alone, and how much memory a pass may spend on keeping a value instead of computing it.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "program/program.h"

namespace ingot {

constexpr int64_t kGrowthBytes = 1 << 20;

// Whether a value of literal sizes has at most `bytes`, or twice what was `read` to compute it.
inline bool grows_within(const TensorType& type, int64_t read, int64_t bytes) {
  const auto sizes = literal_sizes(type.shape);
  return sizes && byte_count(type.dtype, *sizes, type.scheme) / 2 <= std::max(bytes / 2, read);
}

// What two operands read together. What is read along several paths counts for each, so that sums of sums double: they
// stop at a number that is enough for everything.
inline int64_t add_read(int64_t a, int64_t b) { return std::min(a + b, int64_t{1} << 61); }

// For each value of the graph the bytes of weights that it depends on; none where it depends on anything but weights and
// numbers, or a node on the way does not stand alone (passes/effects.h).
std::vector<std::optional<int64_t>> weights_read(const Program& program, const Graph& graph);

}  // namespace ingot
