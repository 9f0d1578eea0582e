// Tensors made out of another one: in another dtype, or stretched.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "program/convert.h"
#include "program/elements.h"
#include "program/error.h"
#include "program/tensor.h"

namespace ingot {

namespace {

// The bits that follow the last element of a 4- or 2-bit dtype are zero.
Tensor allocate_padded(DType dtype, Sizes sizes) {
  Tensor tensor = Tensor::allocate(dtype, std::move(sizes));
  if (const auto bytes = tensor.mutable_bytes(); bits(dtype) < 8 && !bytes.empty()) bytes.back() = {};
  return tensor;
}

bool broadcasts(const Sizes& from, const Sizes& to) {
  if (from.size() > to.size()) return false;
  return std::equal(from.rbegin(), from.rend(), to.rbegin(), [](int64_t a, int64_t b) { return a == b || a == 1; });
}

// For each axis of `to`, how far its next index lies in a dense tensor of sizes `from`: 0 where an element repeats.
Sizes broadcast_strides(const Sizes& from, const Sizes& to) {
  Sizes strides(to.size(), 0);
  int64_t stride = 1;
  for (size_t i = 1; i <= from.size(); ++i) {
    const int64_t size = from[from.size() - i];
    if (size != 1) strides[to.size() - i] = stride;
    stride *= size;
  }
  return strides;
}

}  // namespace

Tensor Tensor::to(DType dtype) const try {
  elements::check_convertible(dtype_, dtype);
  if (dtype == dtype_) return *this;
  Tensor result = allocate_padded(dtype, sizes_);
  elements::convert(*this, result);
  return result;
} catch (Error& error) {
  error.in_op("to");
  throw;
}

Tensor Tensor::broadcast_to(Sizes sizes) const {
  constexpr std::string_view op = "broadcast_to";
  if (dtype_ == DType::packed) {
    throw Error::mismatch(Code::type_mismatch, op, "x", "packed", "a dtype of single elements (dequantize it)");
  }
  if (sizes == sizes_) return *this;
  if (!broadcasts(sizes_, sizes)) {
    throw Error::mismatch(Code::type_mismatch, op, "shape of x", fmt::format("[{}]", fmt::join(sizes_, ", ")),
                          fmt::format("one that broadcasts to [{}]", fmt::join(sizes, ", ")));
  }
  const Sizes strides = broadcast_strides(sizes_, sizes);
  Tensor result = allocate_padded(dtype_, std::move(sizes));
  const auto from = elements::view_bits(*this);
  const elements::Out<uint64_t> to(result, elements::bits_storer(dtype_));
  Sizes index(result.sizes().size(), 0);
  for (int64_t i = 0, at = 0, n = result.elements(); i < n; ++i) {
    to.store(i, from[at]);
    for (size_t axis = index.size(); axis-- > 0;) {
      at += strides[axis];
      if (++index[axis] < result.sizes()[axis]) break;
      at -= strides[axis] * std::exchange(index[axis], 0);
    }
  }
  return result;
}

}  // namespace ingot
