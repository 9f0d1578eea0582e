// Inference of convolutions.
#include <array>

#include "program/infer.h"
#include "program/windows.h"

namespace ingot {
namespace {

constexpr std::array<DType, 2> kBytes{DType::u8, DType::i8};

// x [N, C, spatial…] and w [·, ·, kernel…]: the sizes of the kernel.
Shape kernel_of(const Scope& s, const TensorType& x, const TensorType& w) {
  spatial_axes(s, x);
  require_count(s, "rank of w", w.shape.size(), x.shape.size(), "rank of x");
  return {w.shape.begin() + 2, w.shape.end()};
}

void require_groups(const Scope& s, std::string_view subject, int64_t groups) {
  if (groups < 1) s.refuse(subject, fmt::format("{}", groups), "at least 1", Code::out_of_range);
}

void require_multiple(const Scope& s, std::string_view subject, const Dim& size, int64_t of, std::string_view why) {
  if (equal(mod(size, of), 0) == Proof::yes) return;
  s.refuse(subject, to_string(size), fmt::format("a multiple of {} ({})", of, why));
}

// x [N, C, …], w [O, C/groups, …]
void check_channels(const Scope& s, const TensorType& x, const TensorType& w, int64_t groups) {
  require_groups(s, "groups", groups);
  require_equal(s, "axis 1 of x", x.shape[1], w.shape[1] * groups, "axis 1 of w, times groups");
  require_multiple(s, "axis 0 of w", w.shape[0], groups, "groups");
}

// What x, w and bias [channels] are converted to.
DType common_dtype(const Scope& s, DType x, DType w, const std::optional<Ref>& bias, const Dim& channels,
                   Kinds allowed) {
  DType dtype = promote_or_refuse(s, x, w);
  if (bias) {
    const TensorType& type = s.type(*bias);
    dtype = promote_or_refuse(s, dtype, type.dtype);
    require_type(s, "bias", type, {type.dtype, {channels}, {}}, "channels of the result");
  }
  require_kind(s, "dtype of x, w and bias", dtype, allowed);
  return dtype;
}

// The windows of w over x: what conv has in common with its relatives.
template <class O>
Shape convolved(const O& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w);
  const Shape kernel = kernel_of(s, x, w);
  check_channels(s, x, w, op.groups);
  const Windows windows = checked_windows(s, op, kernel);
  return with_spatial(s, x, w.shape[0], [&](size_t axis) { return windows.count(axis, x.shape[axis + 2]); });
}

}  // namespace

// x [N, C, spatial…], w [O, C/groups, kernel…] -> [N, O, windows…]
static Types rule(const op::Conv& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w);
  Shape shape = convolved(op, s);
  return {{common_dtype(s, x.dtype, w.dtype, op.bias, w.shape[0], kinds::number), std::move(shape), {}}};
}

// x [N, C, spatial…], w [C, O/groups, kernel…] -> [N, O, (in - 1)·stride + extent - before - after + output_padding …]
static Types rule(const op::ConvTranspose& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w);
  const Shape kernel = kernel_of(s, x, w);
  require_groups(s, "groups", op.groups);
  require_equal(s, "axis 0 of w", w.shape[0], x.shape[1], "axis 1 of x");
  require_multiple(s, "axis 1 of x", x.shape[1], op.groups, "groups");
  const Windows windows = checked_windows(s, op, kernel);
  require_axes(s, "output_padding", op.output_padding, kernel.size());
  require_sizes(s, "output_padding", op.output_padding);
  const Dim channels = w.shape[1] * op.groups;
  Shape shape = with_spatial(s, x, channels, [&](size_t axis) {
    const Dim all = (x.shape[axis + 2] - 1) * windows.strides[axis] + windows.extent(axis);
    const Dim added = op.output_padding.empty() ? Dim(0) : op.output_padding[axis];
    return all - windows.before[axis] - windows.after[axis] + added;
  });
  return {{common_dtype(s, x.dtype, w.dtype, op.bias, channels, kinds::number), std::move(shape), {}}};
}

static Types rule(const op::IntegerConv& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w);
  require_dtype(s, "x", x.dtype, kBytes);
  require_dtype(s, "w", w.dtype, kBytes);
  Shape shape = convolved(op, s);
  if (op.x_zero) require_type(s, "x_zero", s.type(*op.x_zero), {x.dtype, {}, {}});
  if (op.w_zero) {
    const TensorType& zero = s.type(*op.w_zero);
    const Shape of_channels = zero.rank() == 0 ? Shape{} : Shape{w.shape[0]};
    require_type(s, "w_zero", zero, {w.dtype, of_channels, {}}, "one for all, or one for each channel of the result");
  }
  return {{DType::i32, std::move(shape), {}}};
}

// offset [N, 2·G·kernel, windows…], mask [N, G·kernel, windows…] for G groups of the channels of x
static Types rule(const op::DeformConv& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &w = s.type(op.w);
  require_count(s, "rank of x", x.shape.size(), 4, "[N, C, height, width]");
  Shape shape = convolved(op, s);
  require_groups(s, "offset_groups", op.offset_groups);
  require_multiple(s, "axis 1 of x", x.shape[1], op.offset_groups, "offset_groups");
  const DType dtype = common_dtype(s, x.dtype, w.dtype, op.bias, w.shape[0], kinds::real);
  const auto check_moves = [&](std::string_view subject, Ref ref, int64_t each) {
    const TensorType& type = s.type(ref);
    require_kind(s, subject, type.dtype, kinds::real);
    Shape expected = shape;
    expected[1] = w.shape[2] * w.shape[3] * op.offset_groups * each;
    require_type(s, subject, type, {type.dtype, std::move(expected), {}}, "for each window and position in it");
  };
  check_moves("offset", op.offset, 2);
  if (op.mask) check_moves("mask", *op.mask, 1);
  return {{dtype, std::move(shape), {}}};
}

INGOT_RULES(conv)

}  // namespace ingot
