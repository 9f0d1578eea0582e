#include "engines/reference/indexing.h"

#include <fmt/format.h>

#include <algorithm>

#include "engines/refusals.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// Along one axis: elements `from` … `from + count - 1` of the box stand at `to` … of the whole.
struct Part {
  int64_t from, to, count;
};

Part part_at(int64_t start, int64_t box, int64_t whole, size_t axis, IndexMode mode) {
  const int64_t room = whole - box;
  if (mode == IndexMode::drop) {
    start = std::clamp(start, -box, whole);  // beyond these nothing lies inside either
    if (start < 0) return {-start, 0, std::min(box + start, whole)};
    return {0, start, std::min(box, whole - start)};
  }
  if (mode == IndexMode::error && (start < 0 || start > room)) {
    throw Error::mismatch(Code::out_of_range, "", fmt::format("start along axis {}", axis), fmt::format("{}", start),
                          fmt::format("0 to {} ({} elements go into {})", room, box, whole));
  }
  return {0, std::clamp<int64_t>(start, 0, room), box};
}

}  // namespace

std::optional<int64_t> position(IndexMode mode, int64_t index, int64_t size) {
  if (mode == IndexMode::clamp) return std::clamp<int64_t>(index, 0, size - 1);
  if (0 <= index && index < size) return index;
  if (mode == IndexMode::drop) return {};
  if (-size <= index && index < 0) return index + size;
  throw index_outside(index, size);
}

View<int64_t> lengths_of(Frame& frame, const std::optional<Ref>& ref, int64_t most) {
  if (!ref) return View<int64_t>(most);
  const View<int64_t> lengths = frame.indices(*ref);
  frame.spend(lengths.size());
  for (int64_t b = 0, n = lengths.size(); b < n; ++b) {
    if (0 <= lengths[b] && lengths[b] <= most) continue;
    throw Error::mismatch(Code::out_of_range, "", fmt::format("length of batch {}", b), fmt::format("{}", lengths[b]),
                          fmt::format("0..{}", most));
  }
  return lengths;
}

Overlap overlap(Frame& frame, const Sizes& box, const Sizes& whole, const std::vector<Ref>& starts,
                const std::vector<int64_t>& axes, IndexMode mode) {
  const Sizes box_strides = strides_of(box), whole_strides = strides_of(whole);
  Overlap result{box, 0, 0};
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(from_front(axes[i], box.size()));
    const Part part = part_at(frame.indices(starts[i])[0], box[axis], whole[axis], axis, mode);
    result.sizes[axis] = part.count;
    result.in_box += part.from * box_strides[axis];
    result.in_whole += part.to * whole_strides[axis];
  }
  return result;
}

}  // namespace ingot::reference
