// Refusals that every engine words alike.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <limits>
#include <string>

#include "program/error.h"
#include "program/tensor.h"

namespace ingot {

// Indices are read as i64; a u64 beyond stands for the largest.
inline Error index_outside(int64_t index, int64_t size) {
  const bool may_be_more = index == std::numeric_limits<int64_t>::max();
  return Error(Code::out_of_range,
               fmt::format("index {}{} is outside an axis of {} elements", index, may_be_more ? " or more" : "", size));
}

// `x is [4], expected [5], which is [N]`
inline Error not_the_shape(const Sizes& actual, const Sizes& wanted, const Shape& declared) {
  std::string expected = fmt::format("[{}]", fmt::join(wanted, ", "));
  if (to_string(declared) != expected) expected += ", which is " + to_string(declared);
  return Error::mismatch(Code::type_mismatch, "", "x", fmt::format("[{}]", fmt::join(actual, ", ")),
                         std::move(expected));
}

}  // namespace ingot
