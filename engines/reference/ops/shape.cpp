// Ops that move elements: as their bits, but where operands are promoted or a constant fills in.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engines/reference/kernel.h"
#include "engines/reference/walk.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// y[i] = x[first + offset of i by strides]
void copy(const View<uint64_t>& x, const Out<uint64_t>& y, const Sizes& strides, int64_t first = 0) {
  walk(y.sizes(), [&](int64_t i, int64_t offset) { y.store(i, x[first + offset]); }, strides);
}

// Where in an axis of n elements the padding takes position i from, counted from the first element of x. None: the
// constant.
std::optional<int64_t> padded_from(PadMode mode, int64_t i, int64_t n) {
  if (0 <= i && i < n) return i;
  switch (mode) {
    case PadMode::constant: return {};
    case PadMode::reflect: return i < 0 ? -i : 2 * (n - 1) - i;
    case PadMode::edge: return i < 0 ? 0 : n - 1;
    case PadMode::wrap: return i < 0 ? i + n : i - n;
  }
  return {};
}

}  // namespace

static void kernel(const op::Reshape& op, Frame& frame) {
  const Tensor& x = frame.tensor(op.x);
  frame.set(0, Tensor(x.dtype(), frame.sizes(op.shape), x.buffer()));
}

static void kernel(const op::Transpose& op, Frame& frame) {
  const Sizes of_x = strides_of(frame.sizes(op.x));
  Sizes strides;
  for (int64_t axis : op.perm) strides.push_back(of_x[static_cast<size_t>(axis)]);
  copy(frame.bits(op.x), frame.out_bits(), strides);
}

static void kernel(const op::Broadcast& op, Frame& frame) {
  copy(frame.bits(op.x), frame.out_bits(), broadcast_strides(frame.sizes(op.x), frame.sizes(op.shape)));
}

static void kernel(const op::Slice& op, Frame& frame) {
  const Sizes& sizes = frame.sizes(op.x);
  Sizes strides = strides_of(sizes);
  int64_t first = 0;
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(from_front(op.axes[i], sizes.size()));
    first += frame.size(op.starts[i]) * strides[axis];
    // A step beyond the axis takes one element however large it is, and must not overflow.
    if (!op.steps.empty()) strides[axis] *= std::min(op.steps[i], sizes[axis]);
  }
  copy(frame.bits(op.x), frame.out_bits(), strides, first);
}

static void kernel(const op::Concatenate& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    const Out<T> y = frame.out<T>();
    const int64_t axis = from_front(op.axis, y.sizes().size());
    const Lanes to(y.sizes(), axis);
    int64_t before = 0;
    for (Ref operand : op.operands) {
      const View<T> x = frame.in<T>(operand, dtype);
      const Lanes from(x.sizes(), axis);
      from.each([&](int64_t o, int64_t i) {
        for (int64_t k = 0; k < from.size; ++k) y.store(to.at(o, before + k, i), x[from.at(o, k, i)]);
      });
      before += from.size;
    }
  });
}

static void kernel(const op::Pad& op, Frame& frame) {
  with_domain(frame.result_dtype(), [&]<class T>() {
    const View<T> x = frame.in<T>(op.x);
    const Out<T> y = frame.out<T>();
    const Sizes before = frame.sizes(op.before), strides = strides_of(x.sizes());
    const T constant = scalar_as<T>(op.value.value_or(Scalar(0)));
    // The element of x for element i of y, axis by axis from the last.
    const auto source = [&](int64_t i) -> std::optional<int64_t> {
      int64_t offset = 0;
      for (size_t axis = strides.size(); axis-- > 0; i /= y.sizes()[axis]) {
        const auto at = padded_from(op.mode, i % y.sizes()[axis] - before[axis], x.sizes()[axis]);
        if (!at) return {};
        offset += *at * strides[axis];
      }
      return offset;
    };
    for (int64_t i = 0, n = y.size(); i < n; ++i) {
      const auto from = source(i);
      y.store(i, from ? x[*from] : constant);
    }
  });
}

static void kernel(const op::EnsureShape& op, Frame& frame) {
  const Tensor& x = frame.tensor(op.x);
  const Sizes wanted = frame.sizes(op.shape);
  if (x.sizes() != wanted) {
    throw Error::mismatch(Code::type_mismatch, "", "x", fmt::format("[{}]", fmt::join(x.sizes(), ", ")),
                          fmt::format("[{}], which is {}", fmt::join(wanted, ", "), to_string(op.shape)));
  }
  frame.set(0, x);
}

INGOT_KERNELS(shape)

}  // namespace ingot::reference
