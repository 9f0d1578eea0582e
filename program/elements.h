// Elements: how the values of every dtype are read and written.
//
// Every dtype has a domain, the C++ type in which ops compute: bool, uint64_t, int64_t, double or Complex. Reading is
// exact. Writing rounds once: reals to nearest even from the double itself, integers to their low bits.
//
// Ownership  a View keeps its tensor alive; an Out writes into a tensor that its Frame keeps.
// Threads    reading from any thread, writing by whoever allocated.
// Failure    none for a verified program: inference has settled dtypes and sizes. A domain that is not the dtype's
//            throws Code::type_mismatch.
#pragma once

#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "program/scalar.h"
#include "program/tensor.h"

namespace ingot::elements {

using Complex = std::complex<double>;

// Calls f.operator()<T>() with the domain T of the dtype. Precondition: not packed.
template <class F>
void with_domain(DType dtype, F&& f);

template <class T>
using Load = T (*)(const std::byte* data, int64_t i);
template <class T>
using Store = void (*)(std::byte* data, int64_t i, T value);

// Precondition: T is the domain of the dtype.
template <class T>
Load<T> loader(DType dtype);
template <class T>
Store<T> storer(DType dtype);
// The bits of elements as they are, for ops that only move them.
Load<uint64_t> bits_loader(DType dtype);
Store<uint64_t> bits_storer(DType dtype);

// Elements of a tensor as T, or one number for every index.
template <class T>
class View {
 public:
  View(Tensor tensor, Load<T> load) : tensor_(std::move(tensor)), load_(load), data_(tensor_.bytes().data()) {}
  explicit View(T constant) : constant_(constant) {}

  T operator[](int64_t i) const { return load_ ? load_(data_, i) : constant_; }
  const Sizes& sizes() const { return tensor_.sizes(); }
  int64_t size() const { return tensor_.elements(); }

 private:
  Tensor tensor_;
  Load<T> load_ = nullptr;
  const std::byte* data_ = nullptr;
  T constant_{};
};

template <class T>
View<T> view(const Tensor& tensor) {
  return View<T>(tensor, loader<T>(tensor.dtype()));
}
inline View<uint64_t> view_bits(const Tensor& tensor) { return View<uint64_t>(tensor, bits_loader(tensor.dtype())); }

// Where a kernel stores its result.
template <class T>
class Out {
 public:
  // Precondition: the tensor was just allocated and outlives this.
  Out(Tensor& tensor, Store<T> storer)
      : sizes_(tensor.sizes()), dtype_(tensor.dtype()), store_(storer), data_(tensor.mutable_bytes().data()) {}

  void store(int64_t i, T value) const { store_(data_, i, value); }
  const Sizes& sizes() const { return sizes_; }
  DType dtype() const { return dtype_; }
  int64_t size() const { return element_count(sizes_); }

 private:
  Sizes sizes_;
  DType dtype_;
  Store<T> store_;
  std::byte* data_;
};

// x as it reads back after a store into a real or storage dtype: one rounding.
double round_to(DType dtype, double x);

template <class T>
T scalar_as(const Scalar& value);

// ------------------------------------------------------------------------------------------------------ definitions

enum class Domain { boolean, unsigned_int, signed_int, real, complex };
Domain domain(DType dtype);

template <class F>
void with_domain(DType dtype, F&& f) {
  switch (domain(dtype)) {
    case Domain::boolean: return f.template operator()<bool>();
    case Domain::unsigned_int: return f.template operator()<uint64_t>();
    case Domain::signed_int: return f.template operator()<int64_t>();
    case Domain::real: return f.template operator()<double>();
    case Domain::complex: return f.template operator()<Complex>();
  }
}

template <> inline bool scalar_as<bool>(const Scalar& value) { return value.bits != 0; }
template <> inline uint64_t scalar_as<uint64_t>(const Scalar& value) { return value.bits; }
template <> inline int64_t scalar_as<int64_t>(const Scalar& value) { return value.as_int(); }
template <> inline double scalar_as<double>(const Scalar& value) { return value.as_real(); }
template <> inline Complex scalar_as<Complex>(const Scalar& value) { return value.as_complex(); }

}  // namespace ingot::elements
