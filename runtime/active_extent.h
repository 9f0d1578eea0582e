// An Executable for calls with fewer rows than its methods declare (passes/active_extent.h): compiled once for each number
// of rows that inputs have, with the same weights on the device.
//
// Ownership  of the second Executable. Threads  immutable. Failure  Error that names method and input.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "passes/active_extent.h"
#include "program/io/named_tensor.h"
#include "runtime/arguments.h"
#include "runtime/executable.h"

namespace ingot {

struct ActiveExtent {
  int64_t upper;
  std::vector<ActiveMethod> methods;  // of the program, in their order
  Executable executable;              // whose methods take from 0 to `upper` rows, where the extent applies to them

  const ActiveMethod& method(std::string_view name) const;
};

// Whether an input of these sizes is cut to its first rows. Throws Code::type_mismatch unless it has `actual` or `upper`.
bool has_more_rows(const ActiveMethod& method, const Graph& graph, size_t input, const Sizes& sizes, int64_t actual,
                   int64_t upper);
// An input of a call with its first `actual` rows, where it has rows. Throws Code::type_mismatch unless it has `actual` or
// `upper` of them.
Tensor first_rows(const ActiveMethod& method, const Graph& graph, size_t input, const Tensor& tensor, int64_t actual,
                  int64_t upper);
// All that are given; none where another one that has rows is bound, and so stays on the device with all of them.
std::optional<std::vector<NamedTensor>> first_rows(const ActiveMethod& method, const Graph& graph,
                                                   const std::vector<NamedTensor>& inputs, const Bound& bound,
                                                   int64_t actual, int64_t upper);

}  // namespace ingot
