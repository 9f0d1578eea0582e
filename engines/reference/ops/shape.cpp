// Ops that move elements: as their bits, but where operands are promoted, a constant fills in or elements add up.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"
#include "engines/refusals.h"
#include "program/error.h"
#include "program/windows.h"

namespace ingot::reference {
namespace {

// y[i] = x[first + offset of i by strides]
void copy(const View<uint64_t>& x, const Out<uint64_t>& y, const Sizes& strides, int64_t first = 0) {
  walk(y.sizes(), [&](int64_t i, int64_t offset) { y.store(i, x[first + offset]); }, strides);
}

// y[i…] = x[from(axis, i)…] along every axis; `otherwise` where that is none for one of them.
template <class T, class From>
void fetch(const View<T>& x, const Out<T>& y, From&& from, T otherwise = {}) {
  const Sizes strides = strides_of(x.sizes());
  const auto place = [&](int64_t i) -> std::optional<int64_t> {
    int64_t offset = 0;
    for (size_t axis = strides.size(); axis-- > 0; i /= y.sizes()[axis]) {
      const std::optional<int64_t> at = from(axis, i % y.sizes()[axis]);
      if (!at) return {};
      offset += *at * strides[axis];
    }
    return offset;
  };
  for (int64_t i = 0, n = y.size(); i < n; ++i) {
    const auto at = place(i);
    y.store(i, at ? x[*at] : otherwise);
  }
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

// The windows of unfold and fold over the spatial `sizes`.
class WindowWalk {
 public:
  template <class O>
  WindowWalk(const O& op, const Frame& frame, std::span<const int64_t> sizes)
      : sizes_(sizes.begin(), sizes.end()), kernel_(op.kernel) {
    const Windows windows = windows_of(op, Shape(kernel_.begin(), kernel_.end()));
    strides_ = windows.strides;
    dilations_ = windows.dilations;
    before_ = frame.sizes(windows.before);
    for (size_t axis = 0; axis < sizes_.size(); ++axis) {
      frame.size(windows.padded(axis, sizes_[axis]));  // within i64, so every place is
      positions_.push_back(frame.size(windows.count(axis, sizes_[axis])));
    }
  }

  // Calls f(element, place) for the `count` elements of [N, C, kernel…, positions…] that lie inside [N, C, sizes…].
  template <class F>
  void each(int64_t count, F&& f) const {
    if (count == 0) return;
    const int64_t area = element_count(sizes_), windows = element_count(positions_);
    const int64_t plane = element_count(kernel_) * windows;
    for (int64_t element = 0; element < count; ++element) {
      const auto inside = place(element % plane / windows, element % windows);
      if (inside) f(element, element / plane * area + *inside);
    }
  }

 private:
  // Of element k of window p, in the spatial axes.
  std::optional<int64_t> place(int64_t k, int64_t p) const {
    int64_t offset = 0, stride = 1;
    for (size_t axis = sizes_.size(); axis-- > 0;) {
      const int64_t at = p % positions_[axis] * strides_[axis] + k % kernel_[axis] * dilations_[axis] - before_[axis];
      if (at < 0 || at >= sizes_[axis]) return {};
      offset += at * stride;
      stride *= sizes_[axis];
      p /= positions_[axis];
      k /= kernel_[axis];
    }
    return offset;
  }

  Sizes sizes_, kernel_, strides_, dilations_, before_, positions_;
};

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
  frame.spend(std::ssize(op.operands));
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
    const Sizes before = frame.sizes(op.before);
    const auto from = [&](size_t axis, int64_t i) { return padded_from(op.mode, i - before[axis], x.sizes()[axis]); };
    fetch(x, frame.out<T>(), from, scalar_as<T>(op.value.value_or(Scalar(0))));
  });
}

static void kernel(const op::EnsureShape& op, Frame& frame) {
  const Tensor& x = frame.tensor(op.x);
  const Sizes wanted = frame.sizes(op.shape);
  if (x.sizes() != wanted) throw not_the_shape(x.sizes(), wanted, op.shape);
  frame.set(0, x);
}

// y[…, i, …] = x[…, i rem n, …] along every axis, of n elements
static void kernel(const op::Tile& op, Frame& frame) {
  const Sizes& sizes = frame.sizes(op.x);
  fetch(frame.bits(op.x), frame.out_bits(), [&](size_t axis, int64_t i) { return i % sizes[axis]; });
}

// y[…, i, …] = x[…, ⌊i / count⌋, …]
static void kernel(const op::Repeat& op, Frame& frame) {
  const auto repeated = static_cast<size_t>(from_front(op.axis, frame.sizes(op.x).size()));
  const int64_t count = frame.size(op.count);
  fetch(frame.bits(op.x), frame.out_bits(), [&](size_t axis, int64_t i) { return axis == repeated ? i / count : i; });
}

// y[…, i, …] = x[…, n - 1 - i, …]
static void kernel(const op::Flip& op, Frame& frame) {
  const Sizes& sizes = frame.sizes(op.x);
  std::vector<bool> flipped(sizes.size());
  for (int64_t axis : op.axes) flipped[static_cast<size_t>(from_front(axis, sizes.size()))] = true;
  fetch(frame.bits(op.x), frame.out_bits(),
        [&](size_t axis, int64_t i) { return flipped[axis] ? sizes[axis] - 1 - i : i; });
}

// y[…, i, …] = x[…, (i - shift) rem n, …]
static void kernel(const op::Roll& op, Frame& frame) {
  const Sizes& sizes = frame.sizes(op.x);
  Sizes shifts(sizes.size());  // each 0 … n - 1
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(from_front(op.axes[i], sizes.size()));
    const int64_t n = std::max<int64_t>(sizes[axis], 1);
    const int64_t rest = op.shifts[i] % n;
    shifts[axis] = rest < 0 ? rest + n : rest;
  }
  fetch(frame.bits(op.x), frame.out_bits(),
        [&](size_t axis, int64_t i) { return i < shifts[axis] ? i - shifts[axis] + sizes[axis] : i - shifts[axis]; });
}

// y[…, i, j] = x[…, i, j] where j - i <= k (lower) or >= k (upper), else 0
static void kernel(const op::Triangle& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const Out<uint64_t> y = frame.zero_bits();
  const int64_t rows = x.sizes().end()[-2], columns = x.sizes().back(), k = frame.size(op.k.value_or(0));
  for (int64_t i = 0, n = y.size(); i < n; ++i) {
    const int64_t above = i % columns - i / columns % rows;
    if (op.fn == TriangleFn::lower ? above <= k : above >= k) y.store(i, x[i]);
  }
}

static void kernel(const op::Diagonal& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const Out<uint64_t> y = frame.out_bits();
  if (y.size() == 0) return;  // the offset may be any number
  const auto row = static_cast<size_t>(from_front(op.axis1, x.sizes().size()));
  const auto column = static_cast<size_t>(from_front(op.axis2, x.sizes().size()));
  const Sizes of_x = strides_of(x.sizes());
  Sizes strides;
  for (size_t axis = 0; axis < of_x.size(); ++axis) {
    if (axis != row && axis != column) strides.push_back(of_x[axis]);
  }
  strides.push_back(of_x[row] + of_x[column]);
  copy(x, y, strides, op.offset < 0 ? -op.offset * of_x[row] : op.offset * of_x[column]);
}

static void kernel(const op::AsStrided& op, Frame& frame) {
  copy(frame.bits(op.x), frame.out_bits(), frame.sizes(op.strides), frame.size(op.offset.value_or(0)));
}

// y[n, (c, k…), p…] = x[n, c, p·stride + k·dilation - before…], 0 outside
static void kernel(const op::Unfold& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const Out<uint64_t> y = frame.zero_bits();
  WindowWalk(op, frame, std::span(x.sizes()).subspan(2)).each(y.size(), [&](int64_t element, int64_t place) {
    y.store(element, x[place]);
  });
}

// y[n, c, p·stride + k·dilation - before…] = Σ x[n, (c, k…), p…]
static void kernel(const op::Fold& op, Frame& frame) {
  with_domain(frame.result_dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> x = frame.in<T>(op.x);
      const Out<T> y = frame.out<T>();
      frame.spend(x.size());
      Scratch<T> sums = frame.scratch<T>(y.size());
      WindowWalk(op, frame, std::span(y.sizes()).subspan(2)).each(x.size(), [&](int64_t element, int64_t place) {
        T& sum = sums[static_cast<size_t>(place)];
        sum = add(sum, x[element]);
      });
      for (int64_t i = 0, n = y.size(); i < n; ++i) y.store(i, sums[static_cast<size_t>(i)]);
    }
  });
}

INGOT_KERNELS(shape)

}  // namespace ingot::reference
