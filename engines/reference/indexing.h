// Indexing: positions that indices name, lengths, boxes placed by starts that are values, and writes that combine.
//
// Ownership  Accumulator owns its numbers until `store`. Threads  as Frame.
// Failure    Code::out_of_range for an index or a start that its mode does not admit; Code::limit, as Frame.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engines/reference/frame.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"

namespace ingot::reference {

// The position that an index means on an axis. None: it is dropped.
std::optional<int64_t> position(IndexMode mode, int64_t index, int64_t size);

// How many of `most` steps or keys count in each entry of a batch: all where no lengths are given.
View<int64_t> lengths_of(Frame& frame, const std::optional<Ref>& ref, int64_t most);

// ------------------------------------------------------------------------------------------------------------- boxes

// The part of a box that lies inside the whole, once the box is placed there.
struct Overlap {
  Sizes sizes;
  int64_t in_box, in_whole;  // its first element in each
};

// A start for each of `axes`, 0 along the others. `error` throws unless the box fits, `clamp` moves it so that it does,
// `drop` leaves out what falls outside. Precondition: but for `drop` the box is no larger than the whole.
Overlap overlap(Frame& frame, const Sizes& box, const Sizes& whole, const std::vector<Ref>& starts,
                const std::vector<int64_t>& axes, IndexMode mode);

// The result of an op that writes `update` into `old` at `starts`.
template <class O>
Tensor& write_update(const O& op, const Tensor& old, Frame& frame);

// ------------------------------------------------------------------------------------------------------------ writes

// fn(x, update). Precondition: inference lets fn work on the domain.
template <class T>
T combine(ScatterFn fn, T x, T update);

// A copy of x that writes are combined into, rounded once at the end.
template <class T>
class Accumulator {
 public:
  Accumulator(const View<T>& x, ScatterFn fn, const Frame& frame) : fn_(fn), values_(frame.scratch<T>(x.size())) {
    for (size_t i = 0; i < values_.size(); ++i) values_[i] = x[static_cast<int64_t>(i)];
  }
  void write(int64_t at, T update) {
    const auto i = static_cast<size_t>(at);
    values_[i] = combine<T>(fn_, values_[i], update);
  }
  void store(const Out<T>& y) const {
    for (size_t i = 0; i < values_.size(); ++i) y.store(static_cast<int64_t>(i), values_[i]);
  }

 private:
  ScatterFn fn_;
  Scratch<T> values_;
};

// ------------------------------------------------------------------------------------------------------- definitions

template <class O>
Tensor& write_update(const O& op, const Tensor& old, Frame& frame) {
  const View<uint64_t> update = frame.bits(op.update);
  const Overlap part = overlap(frame, update.sizes(), old.sizes(), op.starts, op.axes, op.mode);
  Tensor& contents = frame.allocate_result();
  std::ranges::copy(old.bytes(), contents.mutable_bytes().begin());
  const Out<uint64_t> out(contents, bits_storer(contents.dtype()));
  walk(
      part.sizes,
      [&](int64_t, int64_t read, int64_t written) { out.store(part.in_whole + written, update[part.in_box + read]); },
      strides_of(update.sizes()), strides_of(old.sizes()));
  return contents;
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

}  // namespace ingot::reference
