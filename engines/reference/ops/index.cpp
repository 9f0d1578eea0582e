// Ops that read and write at indices. Bits are copied as they are; what scatter combines, it combines in double or in
// wrapping integers, one rounding at the store.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// The position that an index means on an axis. None: it is dropped.
std::optional<int64_t> position(IndexMode mode, int64_t index, int64_t size) {
  if (mode == IndexMode::clamp) return std::clamp<int64_t>(index, 0, size - 1);
  if (0 <= index && index < size) return index;
  if (mode == IndexMode::drop) return {};
  if (-size <= index && index < 0) return index + size;
  throw Error(Code::out_of_range, fmt::format("index {} is outside an axis of {} elements", index, size));
}

template <class T>
T combine(ScatterFn fn, T x, T update) {
  if constexpr (!std::is_same_v<T, bool>) {
    if (fn == ScatterFn::add) return add(x, update);
    if (fn == ScatterFn::mul) return multiply(x, update);
    if constexpr (!std::is_same_v<T, Complex>) {
      if (fn == ScatterFn::max) return larger(x, update);
      if (fn == ScatterFn::min) return smaller(x, update);
    }
  }
  return update;
}

}  // namespace

// y[…, j…, …] = x[…, indices[j…], …]
static void kernel(const op::Take& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const View<int64_t> indices = frame.indices(op.indices);
  const Out<uint64_t> y = frame.out_bits();
  frame.spend(indices.size());
  const Lanes lanes(x.sizes(), from_front(op.axis, x.sizes().size()));
  for (int64_t j = 0, n = indices.size(); j < n; ++j) {
    const auto k = position(op.mode, indices[j], lanes.size);
    if (!k) continue;  // y is 0 there
    lanes.each([&](int64_t o, int64_t i) { y.store((o * n + j) * lanes.inner + i, x[lanes.at(o, *k, i)]); });
  }
}

// y[…, i, …] = x[…, indices[…, i, …], …]
static void kernel(const op::Gather& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const View<int64_t> indices = frame.indices(op.indices);
  const Out<uint64_t> y = frame.out_bits();
  const int64_t axis = from_front(op.axis, x.sizes().size());
  const Lanes from(x.sizes(), axis), to(indices.sizes(), axis);
  to.each([&](int64_t o, int64_t i) {
    for (int64_t j = 0; j < to.size; ++j) {
      const auto k = position(op.mode, indices[to.at(o, j, i)], from.size);
      if (k) y.store(to.at(o, j, i), x[from.at(o, *k, i)]);
    }
  });
}

// y = x, then y[…, indices[…, i, …], …] = fn(y[…], updates[…, i, …]) in row-major order
static void kernel(const op::Scatter& op, Frame& frame) {
  with_domain(frame.dtype(op.x), [&]<class T>() {
    const View<T> x = frame.in<T>(op.x), updates = frame.in<T>(op.updates);
    const View<int64_t> indices = frame.indices(op.indices);
    const Out<T> y = frame.out<T>();
    frame.spend(indices.size());
    const int64_t axis = from_front(op.axis, x.sizes().size());
    const Lanes to(x.sizes(), axis), from(indices.sizes(), axis);
    std::vector<T> values = frame.scratch<T>(x.size());
    for (size_t i = 0; i < values.size(); ++i) values[i] = x[static_cast<int64_t>(i)];
    for (int64_t j = 0, n = indices.size(); j < n; ++j) {
      const auto k = position(op.mode, indices[j], to.size);
      if (!k) continue;
      const auto at = static_cast<size_t>(to.at(j / from.inner / from.size, *k, j % from.inner));
      values[at] = combine<T>(op.fn, values[at], updates[j]);
    }
    for (size_t i = 0; i < values.size(); ++i) y.store(static_cast<int64_t>(i), values[i]);
  });
}

static void kernel(const op::Nonzero& op, Frame& frame) {
  with_domain(frame.dtype(op.x), [&]<class T>() {
    const View<T> x = frame.in<T>(op.x);
    frame.spend(x.size(), 2);
    int64_t count = 0;
    for (int64_t i = 0, n = x.size(); i < n; ++i) count += x[i] != T{};
    frame.bind(op.count, count);
    const Out<int64_t> y = frame.out<int64_t>();
    const Sizes strides = strides_of(x.sizes());
    for (int64_t i = 0, found = 0; found < count; ++i) {
      if (x[i] == T{}) continue;
      for (size_t axis = 0; axis < strides.size(); ++axis) {
        y.store(static_cast<int64_t>(axis) * count + found, i / strides[axis] % x.sizes()[axis]);
      }
      ++found;
    }
  });
}

INGOT_KERNELS(index)

}  // namespace ingot::reference
