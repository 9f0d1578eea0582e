// Inference of Fourier transforms.
#include "program/infer.h"

namespace ingot {
namespace {

// The axes counted from the front, and the shape of x with the sizes that they are transformed at.
struct Transform {
  std::vector<int64_t> axes;
  Shape shape;

  Dim& last() { return shape[static_cast<size_t>(axes.back())]; }
};

Transform transform_of(const Scope& s, const TensorType& x, const std::vector<int64_t>& axes, const Shape& sizes) {
  if (axes.empty()) s.refuse("axes", "[]", "at least one axis");
  Transform result{normalize_axes(s, "axes", axes, x.rank()), x.shape};
  if (sizes.empty()) return result;
  require_count(s, "number of sizes", sizes.size(), axes.size(), "one for each of axes");
  require_sizes(s, "size", sizes);
  for (size_t i = 0; i < sizes.size(); ++i) result.shape[static_cast<size_t>(result.axes[i])] = sizes[i];
  return result;
}

// Frequencies from 0 to half of n.
Dim half(const Dim& n) { return floor_div(n, 2) + 1; }

}  // namespace

static Types rule(const op::Fft& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::complex);
  return {{x.dtype, transform_of(s, x, op.axes, op.sizes).shape, {}}};
}

static Types rule(const op::Rfft& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::real);
  Transform transform = transform_of(s, x, op.axes, op.sizes);
  transform.last() = half(transform.last());
  return {{DType::c64, std::move(transform.shape), {}}};
}

static Types rule(const op::Irfft& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, kinds::complex);
  require_count(s, "number of sizes", op.sizes.size(), op.axes.size(), "one for each of axes");
  return {{DType::f32, transform_of(s, x, op.axes, op.sizes).shape, {}}};
}

// [..., frames, bins]
static Types rule(const op::Stft& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  require_kind(s, "x", x.dtype, op.onesided ? kinds::real : kinds::real | kinds::complex);
  if (x.rank() < 1) s.refuse("x", to_string(x), "rank 1 or more");
  require_at_least(s, "length", op.length, 1);
  require_at_least(s, "step", op.step, 1);
  require_at_least(s, "size of the last axis of x", x.shape.back(), op.length);
  if (op.window) {
    const TensorType& window = s.type(*op.window);
    require_kind(s, "window", window.dtype, kinds::real);
    require_type(s, "window", window, {window.dtype, {op.length}, {}}, "length");
  }
  Shape shape(x.shape.begin(), x.shape.end() - 1);
  shape.push_back(floor_div(x.shape.back() - op.length, op.step) + 1);
  shape.push_back(op.onesided ? half(op.length) : op.length);
  return {{DType::c64, std::move(shape), {}}};
}

INGOT_RULES(fft)

}  // namespace ingot
