// Conversion of elements from one dtype to another: the meaning of `cast`, of promotion and of Tensor::to.
//
// Threads    pure functions. Failure  check_convertible throws Code::type_mismatch; the others do not fail.
#pragma once

#include <limits>
#include <type_traits>

#include "program/elements.h"

namespace ingot::elements {

// Throws where no conversion is defined: from or to packed, and from c64 to a storage dtype.
void check_convertible(DType x, DType dtype);

// y = x in y's dtype, element by element. With `saturate` what is out of range becomes the nearest value that is not.
// Precondition: equal counts; check_convertible accepts the dtypes.
void convert(const Tensor& x, Tensor& y, bool saturate = false);

// The smallest and the largest value of a dtype; of a real one the finite ones.
template <class T>
struct Extremes {
  T lowest, highest;
};
template <class T>
Extremes<T> extremes(DType dtype);

// The same with the infinities of reals: the max and the min of nothing.
template <class T>
Extremes<T> bounds(DType dtype) {
  if constexpr (std::is_same_v<T, double>) {
    return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  } else {
    return extremes<T>(dtype);
  }
}

}  // namespace ingot::elements
