// Matrices: the last two axes of a tensor, and those before them. Included by the families that compute on them.
//
// Threads    pure functions. Failure  as the checks of infer.h.
#pragma once

#include <initializer_list>
#include <utility>

#include "program/infer.h"

namespace ingot {

struct Matrices {
  Shape lead;  // all axes but the last two
  Dim rows, columns;

  // As many of other sizes.
  Shape with(std::initializer_list<Dim> sizes) const {
    Shape shape = lead;
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    return shape;
  }
};

inline Matrices matrices_of(const Scope& s, std::string_view subject, const TensorType& type, bool transposed = false) {
  if (type.rank() < 2) s.refuse(subject, to_string(type), "rank 2 or more");
  Matrices matrices{{type.shape.begin(), type.shape.end() - 2}, type.shape.end()[-2], type.shape.end()[-1]};
  if (transposed) std::swap(matrices.rows, matrices.columns);
  return matrices;
}

}  // namespace ingot
