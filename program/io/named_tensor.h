// NamedTensor, and the step from bytes of a foreign file to a Tensor that is safe to compute with.
//
// Ownership  values that share their bytes. Threads  none involved.
// Failure    Code::bad_file.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "program/error.h"
#include "program/tensor.h"

namespace ingot {

struct NamedTensor {
  std::string name;
  Tensor tensor;
};

// Throws for a bool that is neither 0 nor 1: `subject element 3 is 2, expected 0 or 1`.
void check_bools(Code code, std::string_view subject, std::span<const std::byte> bytes);
// A view of `bytes`, aligned or not. Refuses a bool that is neither 0 nor 1, which would be undefined behaviour as soon
// as it is read. Precondition: bytes.size() is the type's byte count.
Tensor view_from_file(DType dtype, Sizes sizes, Buffer bytes);
// The same, as a copy where the view is not aligned.
Tensor tensor_from_file(DType dtype, Sizes sizes, Buffer bytes);

// A name out of a file, quoted for a message: unprintable bytes escaped, long ones cut.
std::string quote(std::string_view name);

// Throws Code::invalid_argument, prefixed with `[format]`, when two tensors have one name.
void check_names_differ(std::string_view format, std::span<const NamedTensor> tensors);

}  // namespace ingot
