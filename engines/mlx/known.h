// Known: integers that the host has beside the device, so that it can check indices made of them before anything runs.
//
// A check on the device is one more thing to compute, and means that a call may still fail when states would be written.
//
// Ownership  values; the integers are shared. Threads  integers change only where nobody else holds them; arrays on the
//            device's worker. Failure  none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engines/mlx/mlx.h"
#include "program/error.h"
#include "program/tensor.h"

namespace ingot::mlx_engine {

using Integers = std::shared_ptr<std::vector<int64_t>>;

// Of a tensor, or an array that memory of the host holds; none where it has other elements, or many. In the place of
// `instead`, where nothing else holds that.
Integers known_integers(const Tensor& tensor, Integers instead = {});
Integers known_integers(const array& value, Integers instead = {});

// What is wrong with integers; none: nothing.
using IntegerCheck = std::function<std::optional<Error>(std::span<const int64_t>)>;

struct Known {
  array value;          // held, so that no other array takes its place in memory, which is its id
  Integers integers;    // none while tracing, when there is but the place for them
  size_t position = 0;  // of a trace: among what its segment is passed
};

// A check that every replay of a segment begins with.
struct KnownCheck {
  size_t position;  // among what the segment is passed
  IntegerCheck check;
};

// What integers are made of: each is an element of one array, in the same order, plus an offset.
struct Source {
  std::uintptr_t id;
  int64_t offset = 0;
  bool narrow = false;  // the sum wraps as i32
};
Source source_of(array integers);

// A check of the sums as one of the source's elements.
IntegerCheck check_of_source(const Source& source, IntegerCheck check_of_sums);

}  // namespace ingot::mlx_engine
