// Conversion of elements from one dtype to another: the meaning of `cast`, and of promotion.
//
// Threads    pure functions. Failure  none.
#pragma once

#include "engines/reference/elements.h"

namespace ingot::reference {

// y = x in y's dtype, element by element. With `saturate` what is out of range becomes the nearest value that is not.
// Precondition: equal counts; neither is packed.
void convert(const Tensor& x, Tensor& y, bool saturate = false);

// The smallest and the largest value of a dtype; of a real one the finite ones.
template <class T>
struct Extremes {
  T lowest, highest;
};
template <class T>
Extremes<T> extremes(DType dtype);

}  // namespace ingot::reference
