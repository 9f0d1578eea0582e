#include "engines/mlx/tensor.h"

namespace ingot::mlx_engine {

Tensor MlxTensor::to_host() const {
  // On a GPU reading moves the array itself to memory that both share: where others use it the copy goes instead.
  const bool is_ours = passing_ && weak_from_this().use_count() <= 1 && value_.is_donatable();
  array value = value_;
  value.wait();
  if (value.size() > 0 && ((!device_.is_cpu() && !is_ours) || !value.flags().row_contiguous)) {
    Turn turn(device_);
    value = mx::contiguous(mx::copy(value, device_.stream()), false, device_.stream());
    mx::eval(value);
  }
  Tensor tensor = download(value, dtype_, sizes_, scheme_);
  // A row of a state must not keep all of it, and from being written in place.
  const bool is_part = value.size() > 0 && value.buffer_size() / 2 > value.nbytes();
  return is_part ? Tensor(dtype_, sizes_, Buffer::copy_of(tensor.bytes()), scheme_) : tensor;
}

}  // namespace ingot::mlx_engine
