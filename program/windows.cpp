#include "program/windows.h"

namespace ingot {

void check_windows(const Scope& scope, const Windows& windows) {
  for (size_t axis = 0; axis < windows.axes(); ++axis) {
    require_at_least(scope, "kernel", windows.kernel[axis], 1);
    require_at_least(scope, "stride", windows.strides[axis], 1);
    require_at_least(scope, "dilation", windows.dilations[axis], 1);
  }
  require_sizes(scope, "before", windows.before);
  require_sizes(scope, "after", windows.after);
}

size_t spatial_axes(const Scope& scope, const TensorType& x) {
  if (x.rank() < 3) scope.refuse("x", to_string(x), "rank 3 or more: [N, C, spatial…]");
  return x.shape.size() - 2;
}

}  // namespace ingot
