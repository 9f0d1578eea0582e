#include "runtime/host_types.h"

#include <utility>

namespace ingot {

bool HostTypes::converts(DType declared) const { return f32_io_ && is_real(declared) && declared != DType::f32; }

TensorType HostTypes::out(TensorType declared) const {
  if (converts(declared.dtype)) declared.dtype = DType::f32;
  return declared;
}

Tensor HostTypes::out(const DeviceTensor& value) const {
  const Tensor tensor = value.to_host();
  return converts(tensor.dtype()) ? tensor.to(DType::f32) : tensor;
}

TensorType HostTypes::in(TensorType declared, DType given) const {
  return given == DType::f32 ? out(std::move(declared)) : declared;
}

Tensor HostTypes::in(const Tensor& given, const TensorType& declared) const {
  return converts(given.dtype(), declared.dtype) ? given.to(declared.dtype) : given;
}

}  // namespace ingot
