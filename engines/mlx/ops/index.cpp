// Ops that read and write at indices. Writes go to rows: x with all that its indices name in one axis, in front.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"
#include "program/error.h"
#include "program/index_layout.h"

namespace ingot::mlx_engine {
namespace {

Sizes sizes_of(std::span<const int> shape) { return {shape.begin(), shape.end()}; }

Sizes row_major_strides(const Sizes& sizes) {
  Sizes strides(sizes.size(), 1);
  for (size_t axis = sizes.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * sizes[axis];
  return strides;
}

// y is 0 where its index was dropped; the axes of the index end `trailing` axes before those of y.
array zero_dropped(Frame& frame, const array& y, const std::optional<array>& inside, size_t trailing) {
  if (!inside) return y;
  const mx::Stream s = frame.stream();
  mx::Shape shape = inside->shape();
  shape.insert(shape.end(), trailing, 1);
  return mx::where(mx::reshape(*inside, shape, s), y, array(0, y.dtype()), s);
}

// ------------------------------------------------------------------------------------------------------- coordinates

// The rows that coordinates name in the axes of x from `batch` on, where x is [rows, rest…].
struct Rows {
  Positions places;  // [leading…] of the indices
  mx::Shape rest;
};

Rows rows_of(Frame& frame, const array& x, const array& indices, int batch, IndexMode mode) {
  const mx::Stream s = frame.stream();
  frame.spend(indices.size());
  const int count = indices.shape(-1);
  const auto axes = std::span(x.shape()).subspan(static_cast<size_t>(batch));
  const auto named = axes.first(static_cast<size_t>(count)), rest = axes.subspan(static_cast<size_t>(count));
  mx::Shape leading(indices.shape().begin(), indices.shape().end() - 1);
  const Sizes sizes = sizes_of(named);

  Positions places{mx::zeros(leading, mx::int32, s), {}};
  if (count > 0) {
    places = positions(frame, indices, sizes, mode);
    if (places.inside) places.inside = mx::all(*places.inside, -1, false, s);
    const array at = mx::astype(counted_from_front(frame, places.at, sizes), mx::int32, s);
    const Sizes strides = row_major_strides(sizes);
    places.at = mx::sum(mx::multiply(at, array(strides.data(), {count}, mx::int32), s), -1, false, s);
  }
  if (batch > 0) {
    // Numbers of batches, each with its own rows.
    mx::Shape shape(leading.begin(), leading.begin() + batch);
    const auto batches = static_cast<double>(element_count(sizes_of(shape)));
    shape.resize(leading.size(), 1);
    const array first(element_count(sizes), mx::int32);
    const array begin = mx::multiply(mx::arange(0, batches, mx::int32, s), first, s);
    places.at = mx::add(mx::reshape(begin, shape, s), places.at, s);
  }
  return {std::move(places), {rest.begin(), rest.end()}};
}

// [as many as it takes, rest…]. So the number of a row is an i32.
array as_rows(const array& x, const mx::Shape& rest, mx::Stream s) {
  const Sizes row = sizes_of(rest);
  Sizes shape = row;
  shape.insert(shape.begin(), static_cast<int64_t>(x.size()) / element_count(row));
  return mx::reshape(x, to_mlx(shape), s);
}

// x, whose rows are [rest…], with the updates combined into it. Precondition: neither is empty.
array write_rows(Frame& frame, ScatterFn fn, const array& x, Positions places, const array& updates,
                 const mx::Shape& rest) {
  const mx::Stream s = frame.stream();
  places.at = flattened(places.at, s);
  if (places.inside) places.inside = flattened(*places.inside, s);
  const array y = combine(frame, fn, as_rows(x, rest, s), places, as_rows(updates, rest, s));
  return mx::reshape(y, x.shape(), s);
}

// ----------------------------------------------------------------------------------------------- index_get, index_put

std::vector<int> inverse(const std::vector<int>& perm) {
  std::vector<int> result(perm.size());
  for (size_t i = 0; i < perm.size(); ++i) result[static_cast<size_t>(perm[i])] = static_cast<int>(i);
  return result;
}

// What index_get reads and index_put writes.
struct Named {
  std::vector<int> axes;        // that are indexed
  std::vector<array> at;        // along each
  std::optional<array> inside;  // of all of them
  Sizes box;                    // the shape of the indices together
  mx::Shape kept;               // sizes of the other axes
  std::vector<int> kept_axes;
  std::vector<int> placed;  // perm from [box…, kept…] to the result
};

template <class O>
Named named(const O& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const mx::Shape& x = frame.in(op.x).shape();
  const IndexLayout layout = index_layout(op.axes, x.size());
  Named all;
  for (size_t i = 0; i < op.indices.size(); ++i) {
    all.axes.push_back(from_front(op.axes[i], x.size()));
    const array& indices = frame.in(op.indices[i]);
    frame.spend(indices.size());
    Positions along = positions(frame, indices, {x[static_cast<size_t>(all.axes[i])]}, op.mode);
    all.at.push_back(std::move(along.at));
    all.box = stretched(all.box, sizes_of(indices.shape()));
    if (along.inside) all.inside = all.inside ? mx::logical_and(*all.inside, *along.inside, s) : *along.inside;
  }
  for (int64_t axis : layout.kept) {
    all.kept_axes.push_back(static_cast<int>(axis));
    all.kept.push_back(x[static_cast<size_t>(axis)]);
  }
  std::vector<int> of_box(all.box.size()), of_kept(all.kept.size());
  std::iota(of_box.begin(), of_box.end(), 0);
  std::iota(of_kept.begin(), of_kept.end(), static_cast<int>(of_box.size()));
  all.placed = laid_out(layout, of_kept, of_box);
  return all;
}

// ------------------------------------------------------------------------------------------------------------ reading

array emit(const op::Take& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array &x = frame.in(op.x), &indices = frame.in(op.indices);
  const int axis = from_front(op.axis, x.ndim());
  const Positions places = positions(frame, indices, {x.shape(axis)}, op.mode);
  if (x.size() == 0 || indices.size() == 0) return mx::zeros(frame.result_shape(), x.dtype(), s);
  frame.spend(indices.size());
  const array y = mx::take(x, places.at, axis, s);
  return zero_dropped(frame, y, places.inside, x.ndim() - static_cast<size_t>(axis) - 1);
}

array emit(const op::Gather& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array &x = frame.in(op.x), &indices = frame.in(op.indices);
  const int axis = from_front(op.axis, x.ndim());
  const Positions places = positions(frame, indices, {x.shape(axis)}, op.mode);
  if (x.size() == 0 || indices.size() == 0) return mx::zeros(frame.result_shape(), x.dtype(), s);
  return zero_dropped(frame, mx::take_along_axis(x, places.at, axis, s), places.inside, 0);
}

// Every element is a row of its own.
array emit(const op::Scatter& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array &x = frame.in(op.x), &indices = frame.in(op.indices);
  const int axis = from_front(op.axis, x.ndim());
  Positions places = positions(frame, indices, {x.shape(axis)}, op.mode);
  if (x.size() == 0 || indices.size() == 0) return x;
  frame.spend(indices.size());
  const Sizes strides = row_major_strides(sizes_of(x.shape()));
  array at = mx::astype(counted_from_front(frame, places.at, {x.shape(axis)}), mx::int32, s);
  at = mx::multiply(at, array(strides[static_cast<size_t>(axis)], mx::int32), s);
  for (int other = 0; other < static_cast<int>(x.ndim()); ++other) {
    if (other == axis || x.shape(other) == 1) continue;
    mx::Shape shape(x.ndim(), 1);
    shape[static_cast<size_t>(other)] = x.shape(other);
    const array stride(strides[static_cast<size_t>(other)], mx::int32);
    const array begin = mx::multiply(mx::arange(0, x.shape(other), mx::int32, s), stride, s);
    at = mx::add(at, mx::reshape(begin, shape, s), s);
  }
  places.at = at;
  return write_rows(frame, op.fn, x, std::move(places), frame.in(op.updates), {});
}

// ------------------------------------------------------------------------------------------------------------- values

bool reads_values(const op::Nonzero&) { return true; }

array emit(const op::Nonzero& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  frame.spend(2 * x.size());
  const array found = flattened(mx::not_equal(x, array(0, x.dtype()), s), s);
  const array count = mx::sum(mx::astype(found, mx::int64, s), false, s);
  frame.bind(op.count, frame.read(count, DType::i64).as<int64_t>()[0]);
  const mx::Shape shape = frame.result_shape();
  if (shape[0] == 0 || shape[1] == 0) return mx::zeros(shape, mx::int64, s);
  // The element where the count reaches 1, 2 …
  const array so_far = mx::cumsum(mx::astype(found, mx::int32, s), 0, false, true, s);
  const array place = mx::searchsorted(so_far, mx::arange(1, shape[1] + 1, mx::int32, s), "left", s);
  const array wide = mx::astype(place, mx::int64, s);
  const Sizes strides = row_major_strides(sizes_of(x.shape()));
  std::vector<array> coordinates;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    const array along = mx::floor_divide(wide, array(strides[axis], mx::int64), s);
    coordinates.push_back(mx::remainder(along, array(x.shape(static_cast<int>(axis)), mx::int64), s));
  }
  return mx::stack(coordinates, 0, s);
}

bool reads_values(const op::Item&) { return true; }

array emit(const op::Item& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  if (x.dtype() == mx::uint64) {
    const uint64_t value = frame.read(x, DType::u64).as<uint64_t>()[0];
    if (!std::in_range<int64_t>(value)) {
      throw Error::mismatch(Code::out_of_range, "", "x", fmt::format("{}", value), "a size of 63 bits");
    }
  }
  frame.bind(op.symbol, frame.read(mx::astype(x, mx::int64, s), DType::i64).as<int64_t>()[0]);
  return x;
}

// -------------------------------------------------------------------------------------------------------------- boxes

array emit(const op::DynamicSlice& op, Frame& frame) {
  return read_box(frame, frame.in(op.x), frame.result_sizes(), op.starts, op.axes, op.mode);
}

array emit(const op::DynamicUpdate& op, Frame& frame) {
  return write_box(frame, frame.in(op.x), frame.in(op.update), op.starts, op.axes, op.mode);
}

// -------------------------------------------------------------------------------------------------------- coordinates

array emit(const op::GatherNd& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array &x = frame.in(op.x), &indices = frame.in(op.indices);
  const Rows rows = rows_of(frame, x, indices, static_cast<int>(op.batch_dims), op.mode);
  const mx::Shape shape = frame.result_shape();
  if (x.size() == 0 || element_count(sizes_of(shape)) == 0) return mx::zeros(shape, x.dtype(), s);
  const array y = mx::take(as_rows(x, rows.rest, s), rows.places.at, 0, s);
  return zero_dropped(frame, y, rows.places.inside, rows.rest.size());
}

array emit(const op::ScatterNd& op, Frame& frame) {
  const array &x = frame.in(op.x), &updates = frame.in(op.updates);
  Rows rows = rows_of(frame, x, frame.in(op.indices), 0, op.mode);
  if (x.size() == 0 || updates.size() == 0) return x;
  frame.spend(updates.size());
  return write_rows(frame, op.fn, x, std::move(rows.places), updates, rows.rest);
}

array emit(const op::IndexGet& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  const Named all = named(op, frame);
  const mx::Shape shape = frame.result_shape();
  if (x.size() == 0 || element_count(sizes_of(shape)) == 0) return mx::zeros(shape, x.dtype(), s);
  mx::Shape slice = x.shape();
  for (int axis : all.axes) slice[static_cast<size_t>(axis)] = 1;
  mx::Shape flat = to_mlx(all.box);
  flat.insert(flat.end(), all.kept.begin(), all.kept.end());
  const array y = mx::reshape(mx::gather(x, all.at, all.axes, slice, s), flat, s);
  return mx::transpose(zero_dropped(frame, y, all.inside, all.kept.size()), all.placed, s);
}

array emit(const op::IndexPut& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array &x = frame.in(op.x), &values = frame.in(op.values);
  const Named all = named(op, frame);
  const mx::Shape box = to_mlx(all.box);
  mx::Shape shape = box;
  shape.insert(shape.end(), all.kept.begin(), all.kept.end());
  if (x.size() == 0 || element_count(sizes_of(shape)) == 0) return x;

  frame.spend(static_cast<uint64_t>(element_count(sizes_of(shape))));
  Positions rows{mx::zeros({}, mx::int32, s), all.inside};
  for (size_t i = 0; i < all.axes.size(); ++i) {
    const int64_t size = x.shape(all.axes[i]);
    const array at = mx::astype(counted_from_front(frame, all.at[i], {size}), mx::int32, s);
    rows.at = mx::add(mx::multiply(rows.at, array(size, mx::int32), s), at, s);
  }
  rows.at = mx::broadcast_to(rows.at, box, s);
  if (rows.inside) rows.inside = mx::broadcast_to(*rows.inside, box, s);

  std::vector<int> to_front = all.axes;
  to_front.insert(to_front.end(), all.kept_axes.begin(), all.kept_axes.end());
  mx::Shape result(shape.size());
  for (size_t i = 0; i < shape.size(); ++i) result[i] = shape[static_cast<size_t>(all.placed[i])];
  const array updates = mx::transpose(mx::broadcast_to(values, result, s), inverse(all.placed), s);
  const array y = write_rows(frame, op.fn, mx::transpose(x, to_front, s), std::move(rows), updates, all.kept);
  return mx::transpose(y, inverse(to_front), s);
}

INGOT_EXPANDED(OneHot)

array emit(const op::MaskedScatter& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array &x = frame.in(op.x), &source = frame.in(op.source);
  const auto given = static_cast<int64_t>(source.size());
  const array mask = mx::broadcast_to(frame.in(op.mask), x.shape(), s);
  const array used = mx::cumsum(mx::astype(flattened(mask, s), mx::int32, s), 0, false, true, s);
  const array all_used = mx::sum(mx::astype(mask, mx::int64, s), false, s);
  frame.guard(mx::less_equal(all_used, array(given, mx::int64), s), all_used, [given](const Tensor& witness) {
    return Error::mismatch(Code::out_of_range, "", "number of elements of source", fmt::format("{}", given),
                           fmt::format("at least {} (as many as mask selects)", witness.as<int64_t>()[0]));
  });
  if (x.size() == 0 || given == 0) return x;
  const array number = mx::subtract(used, array(1, mx::int32), s);
  const array from = mx::minimum(mx::maximum(number, array(0, mx::int32), s), array(given - 1, mx::int32), s);
  return mx::where(mask, mx::reshape(mx::take(flattened(source, s), from, 0, s), x.shape(), s), x, s);
}

}  // namespace

INGOT_LOWERINGS(index)

}  // namespace ingot::mlx_engine
