// Files of tensors on the command line: .npy, .npz and .safetensors, told apart by their endings.
//
// Types are known first and contents are read on demand, so that a tensor that nobody wants, or of another type than the
// one wanted, is never inflated or copied.
//
// Ownership  a StoredTensor keeps its file alive. Threads  one thread for the tensors of one file.
// Failure    ingot::Error as the readers of the formats throw it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "program/io/named_tensor.h"
#include "runtime/compare.h"

namespace ingot::cli {

struct StoredTensor {
  std::string name;  // empty: a .npy has none
  TensorType type;
  std::function<Tensor()> read;
};

// `max_bytes` is what all tensors of a .npz together may inflate to. The other formats are mapped as they are.
std::vector<StoredTensor> open_tensors(const std::string& path, uint64_t max_bytes);

// As compare. The expected tensor is read only where it is of the actual one's type.
Comparison compare_stored(const Tensor& actual, const StoredTensor& expected, const Tolerance& tolerance);

}  // namespace ingot::cli
