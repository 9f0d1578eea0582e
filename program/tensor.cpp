#include "program/tensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "program/error.h"

namespace ingot {

namespace {

// A cache line, and enough for every vector load.
constexpr std::align_val_t kAlignment{64};

std::shared_ptr<std::byte> allocate_bytes(int64_t size) {
  void* memory = ::operator new(static_cast<size_t>(size), kAlignment, std::nothrow);
  if (!memory) throw Error(Code::limit, fmt::format("a tensor of {} bytes does not fit into memory", size));
  return {static_cast<std::byte*>(memory), [](std::byte* p) { ::operator delete(p, kAlignment); }};
}

Buffer as_buffer(std::shared_ptr<std::byte> memory, size_t size) {
  const std::byte* data = memory.get();
  return {std::move(memory), {data, size}};
}

void check_packed(std::span<const int64_t> sizes, const QuantScheme& scheme) {
  check(scheme);
  if (sizes.empty()) throw Error::mismatch(Code::type_mismatch, "", "rank of a packed tensor", "0", "at least 1");
}

}  // namespace

Buffer Buffer::copy_of(std::span<const std::byte> bytes) {
  auto memory = allocate_bytes(static_cast<int64_t>(bytes.size()));
  if (!bytes.empty()) std::memcpy(memory.get(), bytes.data(), bytes.size());
  return as_buffer(std::move(memory), bytes.size());
}

int64_t element_count(std::span<const int64_t> sizes) {
  int64_t product = 1;
  bool empty = false;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const int64_t size = sizes[axis];
    if (size < 0) {
      throw Error::mismatch(Code::out_of_range, "", fmt::format("size of axis {}", axis), std::to_string(size),
                            "0 or more");
    }
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, size, &product)) {
      throw Error(Code::limit, fmt::format("the sizes of axes 0 to {} multiply to more than 2^63 - 1 elements", axis));
    }
  }
  return empty ? 0 : product;
}

int64_t byte_count(DType dtype, std::span<const int64_t> sizes, const std::optional<QuantScheme>& scheme) {
  const int64_t elements = element_count(sizes);
  if (scheme) {
    check_packed(sizes, *scheme);
    return packed_bytes(*scheme, element_count(sizes.first(sizes.size() - 1)), sizes.back());
  }
  if (bits(dtype) % 8 == 0) {
    int64_t bytes;
    if (!__builtin_mul_overflow(elements, bits(dtype) / 8, &bytes)) return bytes;
    throw Error(Code::limit,
                fmt::format("{} elements of {} have more than 2^63 - 1 bytes", elements, to_string(dtype)));
  }
  const int64_t per_byte = 8 / bits(dtype);
  return elements / per_byte + (elements % per_byte != 0);
}

// ---------------------------------------------------------------------------------------------------------- tensor

namespace {

// Packed exactly with a scheme; then the bytes that the sizes need.
int64_t checked_byte_count(DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme) {
  if ((dtype == DType::packed) != scheme.has_value()) {
    throw Error::mismatch(Code::type_mismatch, "",
                          fmt::format("quantisation scheme of a tensor of {}", to_string(dtype)),
                          scheme ? to_string(*scheme) : "missing", scheme ? "none" : "present");
  }
  return byte_count(dtype, sizes, scheme);
}

constexpr float kZero = 0;

}  // namespace

Tensor::Tensor() : buffer_{nullptr, std::as_bytes(std::span(&kZero, 1))} {}

Tensor Tensor::allocate(DType dtype, Sizes sizes, std::optional<QuantScheme> scheme) {
  const int64_t size = checked_byte_count(dtype, sizes, scheme);
  return Tensor(dtype, std::move(sizes), as_buffer(allocate_bytes(size), static_cast<size_t>(size)), scheme);
}

Tensor Tensor::zeros(DType dtype, Sizes sizes, std::optional<QuantScheme> scheme) {
  Tensor tensor = allocate(dtype, std::move(sizes), scheme);
  std::ranges::fill(tensor.mutable_bytes(), std::byte{0});
  return tensor;
}

Tensor::Tensor(DType dtype, Sizes sizes, Buffer buffer, std::optional<QuantScheme> scheme)
    : dtype_(dtype), sizes_(std::move(sizes)), scheme_(scheme), buffer_(std::move(buffer)) {
  const int64_t wanted = checked_byte_count(dtype_, sizes_, scheme_);
  if (static_cast<uint64_t>(wanted) == buffer_.bytes.size()) return;
  throw Error::mismatch(Code::type_mismatch, "", fmt::format("byte length of {}", to_string(type())),
                        std::to_string(buffer_.bytes.size()), std::to_string(wanted));
}

Tensor Tensor::of_bytes(DType dtype, Sizes sizes, std::span<const std::byte> bytes) {
  return Tensor(dtype, std::move(sizes), Buffer::copy_of(bytes));
}

TensorType Tensor::type() const { return {dtype_, Shape(sizes_.begin(), sizes_.end()), scheme_}; }

std::span<std::byte> Tensor::mutable_bytes() {
  return {const_cast<std::byte*>(buffer_.bytes.data()), buffer_.bytes.size()};
}

bool Tensor::is_aligned() const {
  const auto alignment = static_cast<uintptr_t>(std::max(bits(dtype_) / 8, 1));
  return reinterpret_cast<uintptr_t>(bytes().data()) % alignment == 0;
}

Tensor Tensor::aligned() const {
  return is_aligned() ? *this : Tensor(dtype_, sizes_, Buffer::copy_of(bytes()), scheme_);
}

void Tensor::check_readable(DType wanted) const {
  if (dtype_ != wanted) {
    throw Error::mismatch(Code::type_mismatch, "", "dtype of a tensor", std::string(to_string(dtype_)),
                          std::string(to_string(wanted)));
  }
  if (!is_aligned()) throw Error(Code::invalid_argument, "the tensor is a view that is not aligned: read aligned()");
}

}  // namespace ingot
