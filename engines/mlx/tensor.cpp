#include "engines/mlx/tensor.h"

namespace ingot::mlx_engine {

Tensor MlxTensor::to_host() const {
  array value = value_;
  value.wait();
  // On a GPU reading would move the array itself to memory that both share: the copy goes instead.
  if (value.size() > 0 && (!device_.is_cpu() || !value.flags().row_contiguous)) {
    Turn turn(device_);
    value = mx::contiguous(mx::copy(value, device_.stream()), false, device_.stream());
    mx::eval(value);
  }
  return download(value, dtype_, sizes_, scheme_);
}

}  // namespace ingot::mlx_engine
