// HostTypes: the types in which tensors cross between the host and a program.
//
// They are the declared ones, unless CompileOptions::f32_io is set. Then a float of another width leaves as f32 and may be
// given as f32, so that code written for f32 runs a bf16 program unchanged. Snapshots and handles are never converted.
//
// Ownership  a value. Threads  immutable. Failure  what Tensor::to throws.
#pragma once

#include "engines/engine.h"

namespace ingot {

class HostTypes {
 public:
  explicit HostTypes(bool f32_io) : f32_io_(f32_io) {}

  // The type in which a value leaves.
  TensorType out(TensorType declared) const;
  Tensor out(const DeviceTensor& value) const;

  // Whether a tensor of one dtype is converted when it is given for a value of another.
  bool converts(DType given, DType declared) const { return given == DType::f32 && converts(declared); }
  // The type that a tensor of this dtype must have to be given for a value.
  TensorType in(TensorType declared, DType given) const;
  // The tensor with the dtype that is declared, where `in` allows another one.
  Tensor in(const Tensor& given, const TensorType& declared) const;

 private:
  bool converts(DType declared) const;

  bool f32_io_;
};

}  // namespace ingot
