// Ops on the state of a session. A write makes new contents: whoever read the old ones keeps them.
#include <fmt/format.h>

#include <algorithm>

#include "engines/reference/kernel.h"
#include "engines/reference/walk.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// Along one axis: elements `from` … `from + count - 1` of the update go to `to` … of the state.
struct Part {
  int64_t from, to, count;
};

// Precondition: update <= size.
Part part_at(int64_t start, int64_t update, int64_t size, size_t axis, IndexMode mode) {
  const int64_t room = size - update;
  if (mode == IndexMode::drop) {
    start = std::clamp(start, -update, size);  // beyond these nothing is written either
    const int64_t from = std::max<int64_t>(-start, 0);
    return {from, start + from, std::min(update, size - start) - from};
  }
  if (mode == IndexMode::error && (start < 0 || start > room)) {
    throw Error::mismatch(Code::out_of_range, "", fmt::format("start along axis {}", axis), fmt::format("{}", start),
                          fmt::format("0 to {} ({} elements go into {})", room, update, size));
  }
  return {0, std::clamp<int64_t>(start, 0, room), update};
}

}  // namespace

static void kernel(const op::StateRead& op, Frame& frame) { frame.set(0, frame.state(op.state)); }

static void kernel(const op::StateWrite& op, Frame& frame) {
  const Tensor& value = frame.tensor(op.value);
  frame.set_state(op.state, value);
  frame.set(0, value);
}

// The old contents, then the part of the update that falls inside.
static void kernel(const op::StateUpdate& op, Frame& frame) {
  const Tensor old = frame.state(op.state);
  const auto update = frame.bits(op.update);
  Sizes from(old.sizes().size()), to = from, box = update.sizes();
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const auto axis = static_cast<size_t>(from_front(op.axes[i], box.size()));
    const int64_t start = frame.indices(op.starts[i])[0];
    const Part part = part_at(start, box[axis], old.sizes()[axis], axis, op.mode);
    from[axis] = part.from, to[axis] = part.to, box[axis] = part.count;
  }
  Tensor& contents = frame.allocate_result();
  std::ranges::copy(old.bytes(), contents.mutable_bytes().begin());
  const Out<uint64_t> out(contents, bits_storer(contents.dtype()));
  const Sizes update_strides = strides_of(update.sizes()), state_strides = strides_of(old.sizes());
  const auto offset = [](const Sizes& at, const Sizes& strides) {
    int64_t sum = 0;
    for (size_t axis = 0; axis < at.size(); ++axis) sum += at[axis] * strides[axis];
    return sum;
  };
  const int64_t first_read = offset(from, update_strides), first_written = offset(to, state_strides);
  walk(
      box,
      [&](int64_t, int64_t read, int64_t written) { out.store(first_written + written, update[first_read + read]); },
      update_strides, state_strides);
  frame.set_state(op.state, contents);
}

INGOT_KERNELS(state)

}  // namespace ingot::reference
