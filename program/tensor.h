// Buffer and Tensor: bytes on the host, and bytes with a type.
//
// Ownership  both share their bytes; a Tensor may own them, view a mapped file, or view memory of the caller that
//            `owner` keeps alive. Row-major and dense; 4- and 2-bit dtypes are packed low bits first over the whole
//            tensor; packed tensors as docs/semantics.md lays them out.
// Threads    reading from any thread. `mutable_bytes` is for whoever just allocated.
// Failure    a byte count that differs from the type's throws Code::type_mismatch; a size that overflows Code::limit,
//            as does memory that the system does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "program/type.h"

namespace ingot {

struct Buffer {
  std::shared_ptr<const void> owner;
  std::span<const std::byte> bytes;

  static Buffer copy_of(std::span<const std::byte> bytes);
};

using Sizes = std::vector<int64_t>;

// Product of sizes; throws Code::limit when the product of the non-zero ones leaves i64.
int64_t element_count(std::span<const int64_t> sizes);
// Bytes of a dense tensor. Precondition: the type was checked (scheme present exactly for packed).
int64_t byte_count(DType dtype, std::span<const int64_t> sizes, const std::optional<QuantScheme>& scheme = {});

class Tensor {
 public:
  Tensor();  // f32, rank 0, value 0
  // Uninitialised.
  static Tensor allocate(DType dtype, Sizes sizes, std::optional<QuantScheme> scheme = {});
  // All bits zero.
  static Tensor zeros(DType dtype, Sizes sizes, std::optional<QuantScheme> scheme = {});
  // Takes the bytes as they are.
  Tensor(DType dtype, Sizes sizes, Buffer buffer, std::optional<QuantScheme> scheme = {});

  template <class T>
  static Tensor of(Sizes sizes, const std::vector<T>& values) {
    return of_bytes(dtype_of<T>(), std::move(sizes), std::as_bytes(std::span(values)));
  }

  DType dtype() const { return dtype_; }
  const Sizes& sizes() const { return sizes_; }
  const std::optional<QuantScheme>& scheme() const { return scheme_; }
  int64_t elements() const { return element_count(sizes_); }
  TensorType type() const;
  std::span<const std::byte> bytes() const { return buffer_.bytes; }
  const Buffer& buffer() const { return buffer_; }

  // Precondition: made by allocate and not shared yet.
  std::span<std::byte> mutable_bytes();
  // Whether the elements can be read in place. A view of a file may lie anywhere.
  bool is_aligned() const;
  // Itself, or a copy that is aligned.
  Tensor aligned() const;
  // The elements in another dtype, by the rules of `cast` without `saturate` (docs/semantics.md). Shares the bytes when
  // the dtype is the same. Throws Code::type_mismatch for packed, and from c64 to a storage dtype.
  Tensor to(DType dtype) const;
  // A dense copy stretched to `sizes` by NumPy's rules: axes align at the end, a size of 1 repeats and a missing axis
  // counts as 1. Shares the bytes when the sizes are the same. Throws Code::type_mismatch when x does not broadcast to
  // `sizes` or is packed.
  Tensor broadcast_to(Sizes sizes) const;
  // The elements as T. Throws Code::type_mismatch when T is another dtype, Code::invalid_argument when it is not aligned.
  template <class T>
  std::span<const T> as() const {
    check_readable(dtype_of<T>());
    return {reinterpret_cast<const T*>(bytes().data()), bytes().size() / sizeof(T)};
  }

 private:
  static Tensor of_bytes(DType dtype, Sizes sizes, std::span<const std::byte> bytes);
  void check_readable(DType wanted) const;

  DType dtype_ = DType::f32;
  Sizes sizes_;
  std::optional<QuantScheme> scheme_;
  Buffer buffer_;
};

}  // namespace ingot
