// The random numbers of a key, bit for bit those of the reference engine: docs/semantics.md says which element takes which
// words.
//
// Threads    as Frame: lazy arrays. Failure  Code::limit for more numbers than an axis of MLX has.
#pragma once

#include <vector>

#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

// Words i·w … i·w + w - 1 of the stream for elements i = 0 … n-1: w arrays u64[n] of numbers below 2^32.
// Precondition: the key is u32[2]; w is 1, 2 or 4.
std::vector<array> random_words(const array& key, int64_t n, size_t w, mx::Stream s);

// The low word, then the high one, as one u64.
array joined_words(const array& low, const array& high, mx::Stream s);

// In [0, 1), exact: f32 from the upper 24 bits of a word, f64 from the upper 53 of two.
array uniform_of(const array& narrow, mx::Stream s);
array uniform_of(const array& low, const array& high, mx::Stream s);

}  // namespace ingot::mlx_engine
