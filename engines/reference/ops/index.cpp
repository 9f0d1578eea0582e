// Ops that read and write at indices. Bits are copied as they are; what scatter combines, it combines in double or in
// wrapping integers, one rounding at the store.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "engines/reference/indexing.h"
#include "engines/reference/kernel.h"
#include "program/error.h"
#include "program/index_layout.h"

namespace ingot::reference {
namespace {

// Rows of coordinates in the axes of x from `batch` on; each names `rest` elements.
class Coordinates {
 public:
  Coordinates(const View<int64_t>& indices, const Sizes& x, size_t batch, IndexMode mode)
      : indices_(indices), sizes_(x), strides_(strides_of(x)), batch_(batch), mode_(mode) {
    const std::span<const int64_t> leading = std::span(indices.sizes()).first(indices.sizes().size() - 1);
    count_ = static_cast<size_t>(indices.sizes().back());
    rows_ = element_count(leading);
    rows_of_batch_ = element_count(leading.subspan(batch));
    slab_ = element_count(std::span(x).subspan(batch));
    rest_ = element_count(std::span(x).subspan(batch + count_));
  }

  // Calls f(i, place) for the first element that row i names, unless the row is dropped.
  template <class F>
  void each(F&& f) const {
    if (indices_.size() == 0 && rest_ == 0) return;
    for (int64_t row = 0; row < rows_; ++row) {
      if (const auto at = place(row)) f(row, row / rows_of_batch_ * slab_ + *at);
    }
  }

  int64_t rest() const { return rest_; }

 private:
  // Within the batch of the row.
  std::optional<int64_t> place(int64_t row) const {
    int64_t offset = 0;
    bool inside = true;
    for (size_t k = 0; k < count_; ++k) {
      const int64_t index = indices_[row * static_cast<int64_t>(count_) + static_cast<int64_t>(k)];
      const auto at = position(mode_, index, sizes_[batch_ + k]);
      inside = inside && at;
      offset += at.value_or(0) * strides_[batch_ + k];
    }
    return inside ? std::optional(offset) : std::nullopt;
  }

  const View<int64_t>& indices_;
  const Sizes& sizes_;
  Sizes strides_;
  size_t batch_, count_;
  IndexMode mode_;
  int64_t rows_, rows_of_batch_, slab_, rest_;
};

// What index_get reads and index_put writes: a walk over `sizes`, by steps in the axes of x that stay and in `places`.
struct Named {
  Sizes sizes, in_x, in_places;
  Scratch<int64_t> places;  // in x, for every element of the indices together; `dropped` for some
};
constexpr int64_t dropped = -1;

template <class O>
Named named(const O& op, Frame& frame) {
  const Sizes &x = frame.sizes(op.x), strides = strides_of(x);
  const IndexLayout layout = index_layout(op.axes, x.size());
  Sizes box, kept, kept_strides;
  for (Ref index : op.indices) box = stretched(box, frame.sizes(index));
  for (int64_t axis : layout.kept) {
    kept.push_back(x[static_cast<size_t>(axis)]);
    kept_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  Named named{laid_out(layout, kept, box), laid_out(layout, kept_strides, Sizes(box.size())), {}, {}};
  const bool empty = element_count(named.sizes) == 0;
  named.in_places = laid_out(layout, Sizes(kept.size()), strides_of(box));
  if (!empty) {
    frame.spend(element_count(box), static_cast<int64_t>(op.indices.size()));
    named.places = frame.scratch<int64_t>(element_count(box));
  }
  for (size_t i = 0; i < op.indices.size(); ++i) {
    const View<int64_t> index = frame.indices(op.indices[i]);
    const auto axis = static_cast<size_t>(from_front(op.axes[i], x.size()));
    frame.spend(index.size());
    // An index outside fails the call also where nothing is read.
    for (int64_t j = 0, n = index.size(); j < n; ++j) position(op.mode, index[j], x[axis]);
    if (empty) continue;
    walk(
        box,
        [&](int64_t j, int64_t offset) {
          int64_t& place = named.places[static_cast<size_t>(j)];
          const auto at = position(op.mode, index[offset], x[axis]);
          place = at && place != dropped ? place + *at * strides[axis] : dropped;
        },
        broadcast_strides(index.sizes(), box));
  }
  return named;
}

}  // namespace

// y[…, j…, …] = x[…, indices[j…], …]
static void kernel(const op::Take& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const View<int64_t> indices = frame.indices(op.indices);
  const Out<uint64_t> y = frame.zero_bits();
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
  const Out<uint64_t> y = frame.zero_bits();
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
    Accumulator<T> values(x, op.fn, frame);
    for (int64_t j = 0, n = indices.size(); j < n; ++j) {
      const auto k = position(op.mode, indices[j], to.size);
      if (k) values.write(to.at(j / from.inner / from.size, *k, j % from.inner), updates[j]);
    }
    values.store(y);
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

static void kernel(const op::Item& op, Frame& frame) {
  const Tensor& x = frame.tensor(op.x);
  if (x.dtype() == DType::u64) {
    const uint64_t value = view<uint64_t>(x)[0];
    if (!std::in_range<int64_t>(value)) {
      throw Error::mismatch(Code::out_of_range, "", "x", fmt::format("{}", value), "a size of 63 bits");
    }
  }
  frame.bind(op.symbol, frame.indices(op.x)[0]);
  frame.set(0, x);
}

static void kernel(const op::DynamicSlice& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const Out<uint64_t> y = frame.zero_bits();
  const Overlap part = overlap(frame, y.sizes(), x.sizes(), op.starts, op.axes, op.mode);
  walk(
      part.sizes,
      [&](int64_t, int64_t written, int64_t read) { y.store(part.in_box + written, x[part.in_whole + read]); },
      strides_of(y.sizes()), strides_of(x.sizes()));
}

static void kernel(const op::DynamicUpdate& op, Frame& frame) { write_update(op, frame.tensor(op.x), frame); }

// y[b…, i…, …] = x[b…, indices[b…, i…, :], …]
static void kernel(const op::GatherNd& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const View<int64_t> indices = frame.indices(op.indices);
  const Out<uint64_t> y = frame.zero_bits();
  frame.spend(indices.size());
  const Coordinates named(indices, x.sizes(), static_cast<size_t>(op.batch_dims), op.mode);
  named.each([&](int64_t row, int64_t place) {
    for (int64_t k = 0; k < named.rest(); ++k) y.store(row * named.rest() + k, x[place + k]);
  });
}

// y = x, then y[indices[i…, :], …] = fn(y[…], updates[i…, …]) in row-major order
static void kernel(const op::ScatterNd& op, Frame& frame) {
  with_domain(frame.dtype(op.x), [&]<class T>() {
    const View<T> x = frame.in<T>(op.x), updates = frame.in<T>(op.updates);
    const View<int64_t> indices = frame.indices(op.indices);
    const Out<T> y = frame.out<T>();
    frame.spend(indices.size());
    frame.spend(updates.size());
    const Coordinates named(indices, x.sizes(), 0, op.mode);
    Accumulator<T> values(x, op.fn, frame);
    named.each([&](int64_t row, int64_t place) {
      for (int64_t k = 0; k < named.rest(); ++k) values.write(place + k, updates[row * named.rest() + k]);
    });
    values.store(y);
  });
}

// y[…, i…, …] = x[…, indices0[i…], …, indices1[i…], …]
static void kernel(const op::IndexGet& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x);
  const Out<uint64_t> y = frame.zero_bits();
  const Named all = named(op, frame);
  walk(
      all.sizes,
      [&](int64_t i, int64_t offset, int64_t j) {
        const int64_t place = all.places[static_cast<size_t>(j)];
        if (place != dropped) y.store(i, x[place + offset]);
      },
      all.in_x, all.in_places);
}

// y = x, then y[…, indices0[i…], …] = fn(y[…], values[…, i…, …]) in row-major order
static void kernel(const op::IndexPut& op, Frame& frame) {
  with_domain(frame.dtype(op.x), [&]<class T>() {
    const View<T> x = frame.in<T>(op.x), values = frame.in<T>(op.values);
    const Out<T> y = frame.out<T>();
    const Named all = named(op, frame);
    frame.spend(element_count(all.sizes));
    Accumulator<T> written(x, op.fn, frame);
    walk(
        all.sizes,
        [&](int64_t, int64_t offset, int64_t j, int64_t value) {
          const int64_t place = all.places[static_cast<size_t>(j)];
          if (place != dropped) written.write(place + offset, values[value]);
        },
        all.in_x, all.in_places, broadcast_strides(values.sizes(), all.sizes));
    written.store(y);
  });
}

// y[…, indices[…], …] = 1 along the new axis, negatives counted from its end
static void kernel(const op::OneHot& op, Frame& frame) {
  with_domain(frame.result_dtype(), [&]<class T>() {
    const View<int64_t> indices = frame.indices(op.indices);
    const Out<T> y = frame.zeros<T>();
    frame.spend(indices.size());
    const Lanes lanes(y.sizes(), from_front(op.axis, y.sizes().size()));
    for (int64_t j = 0, n = indices.size(); j < n; ++j) {
      const int64_t k = indices[j] < 0 ? indices[j] + lanes.size : indices[j];
      if (0 <= k && k < lanes.size) y.store(lanes.at(j / lanes.inner, k, j % lanes.inner), T{1});
    }
  });
}

static void kernel(const op::MaskedScatter& op, Frame& frame) {
  const View<uint64_t> x = frame.bits(op.x), source = frame.bits(op.source);
  const View<bool> mask = frame.in<bool>(op.mask);
  const Out<uint64_t> y = frame.out_bits();
  int64_t used = 0;
  walk(
      x.sizes(),
      [&](int64_t i, int64_t m) {
        if (!mask[m]) return y.store(i, x[i]);
        if (used < source.size()) y.store(i, source[used]);
        ++used;
      },
      broadcast_strides(mask.sizes(), x.sizes()));
  if (used > source.size()) {
    throw Error::mismatch(Code::out_of_range, "", "number of elements of source", fmt::format("{}", source.size()),
                          fmt::format("at least {} (as many as mask selects)", used));
  }
}

INGOT_KERNELS(index)

}  // namespace ingot::reference
