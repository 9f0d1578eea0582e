// Casts: elements of one dtype as another, to the bit as docs/semantics.md says.
//
// MLX converts as C does: what is out of range is undefined there, and doubles reach f16 and bf16 by two roundings. Where
// that makes no difference a cast is MLX's own.
//
// Elements of 4 and 2 bits are cast one to a byte: `unpacked` and `packed_bits` are the way from and to what MLX keeps.
//
// Threads    as Frame. Failure  none.
#pragma once

#include "engines/mlx/frame.h"

namespace ingot::mlx_engine {

// With `saturate` what is out of range becomes the nearest value that is not. Precondition: neither dtype is packed.
array cast(const Frame& frame, const array& x, DType from, DType to, bool saturate = false);
// The operand in another dtype.
array cast(const Frame& frame, Ref x, DType to);

// The bits of each element in a byte of its own, in the shape of the tensor. Precondition: 4 or 2 bits.
array unpacked(const Frame& frame, const array& bytes, DType dtype, const Sizes& sizes);
// The other way: the bytes of the whole tensor in one axis.
array packed_bits(const Frame& frame, const array& elements, DType dtype);

// re + i·im of f32, which broadcast to each other. Parts that are no finite numbers stay apart, as in no product with i.
array complex_of(const array& re, const array& im, mx::Stream s);

// A number in the dtype of another array.
template <class T>
array number(T value, const array& like) {
  return array(value, like.dtype());
}

}  // namespace ingot::mlx_engine
