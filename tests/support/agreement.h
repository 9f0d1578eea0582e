// Programs that engines are to agree on: the reference engine says what comes out.
//
// Threads    none involved. Failure  what departs is a failure of the test that calls.
#pragma once

#include <vector>

#include "tests/support/case.h"

namespace ingot::test {

// Multiples of largest / steps from -largest to largest: from one seed the same with every C++ library.
Tensor numbers(Sizes sizes, uint32_t seed, float largest = 2, int steps = 32);

// `%a, %b` of `a, b`
std::string values_named(std::string_view results);

struct Comparison {
  Closeness closeness;
  std::vector<const char*> targets = {"mlx:lazy", "mlx:eager", "mlx:compiled"};
  std::string_view method = "main";
};

// Every output of the method on every target.
void expect_as_reference(std::string_view program, const Tensors& inputs, const Comparison& comparison);

}  // namespace ingot::test
