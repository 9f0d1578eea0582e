#include "engines/mlx/indexing.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "engines/mlx/ordering.h"
#include "engines/mlx/scatter.h"
#include "engines/refusals.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// As i32 where that holds every value of the dtype, else as i64.
array widened(Frame& frame, const array& integers) {
  const bool narrow = integers.itemsize() < 4 || integers.dtype() == mx::int32;
  return narrow ? mx::astype(integers, mx::int32, frame.stream()) : as_i64(frame, integers);
}

// One number for everything, or one for each element of the last axis.
array numbers(Sizes values, mx::Dtype dtype) {
  if (dtype == mx::int32) {
    using Limits = std::numeric_limits<int32_t>;
    for (int64_t& value : values) value = std::clamp<int64_t>(value, Limits::min(), Limits::max());
  }
  if (values.size() == 1) return array(values[0], dtype);
  return array(values.data(), {static_cast<int>(values.size())}, dtype);
}

array clipped(const array& wide, const Sizes& low, const Sizes& high, mx::Stream s) {
  return mx::minimum(mx::maximum(wide, numbers(low, wide.dtype()), s), numbers(high, wide.dtype()), s);
}

// The same mask for everything along the other axes of a shape of that rank.
array along(const array& mask, int axis, size_t rank, mx::Stream s) {
  mx::Shape shape(rank, 1);
  shape[static_cast<size_t>(axis)] = mask.shape(0);
  return mx::reshape(mask, shape, s);
}

array zero_outside(const array& values, const array& inside, mx::Stream s) {
  return mx::where(inside, values, array(0, values.dtype()), s);
}

}  // namespace

array as_i64(Frame& frame, const array& integers) {
  const mx::Stream s = frame.stream();
  if (integers.dtype() != mx::uint64) return mx::astype(integers, mx::int64, s);
  const array most(static_cast<uint64_t>(std::numeric_limits<int64_t>::max()), mx::uint64);
  return mx::astype(mx::minimum(integers, most, s), mx::int64, s);
}

// ------------------------------------------------------------------------------------------------------------ ranges

array require_within(Frame& frame, const array& integers, int64_t low, int64_t high, Refusal refusal) {
  const mx::Stream s = frame.stream();
  const array wide = widened(frame, integers), inside = clipped(wide, {low}, {high}, s);
  const auto check = [low, high, refusal = std::move(refusal)](std::span<const int64_t> values) {
    const auto outside = [&](int64_t value) { return value < low || value > high; };
    const auto first = std::ranges::find_if(values, outside);
    return first == values.end() ? std::nullopt : std::optional(refusal(first - values.begin(), *first));
  };
  frame.guard_integers(mx::equal(inside, wide, s), as_i64(frame, wide), check);
  return inside;
}

array lengths_of(Frame& frame, const array& lengths, int64_t most) {
  return require_within(frame, lengths, 0, most, [most](int64_t batch, int64_t length) {
    return Error::mismatch(Code::out_of_range, "", fmt::format("length of batch {}", batch), fmt::format("{}", length),
                           fmt::format("0..{}", most));
  });
}

// --------------------------------------------------------------------------------------------------------- positions

Positions positions(Frame& frame, const array& indices, const Sizes& sizes, IndexMode mode) {
  const mx::Stream s = frame.stream();
  const array wide = widened(frame, indices);
  const bool fits_none = std::ranges::find(sizes, 0) != sizes.end();
  Sizes low(sizes.size()), high(sizes.size());
  for (size_t k = 0; k < sizes.size(); ++k) {
    if (mode == IndexMode::error) low[k] = -sizes[k];
    high[k] = std::max<int64_t>(sizes[k] - 1, 0);
  }
  const array at = clipped(wide, low, high, s);
  if (mode == IndexMode::clamp) return {at, {}};
  const array inside = fits_none ? mx::zeros(at.shape(), mx::bool_, s) : mx::equal(at, wide, s);
  if (mode == IndexMode::drop) return {at, inside};
  const auto check = [sizes](std::span<const int64_t> values) -> std::optional<Error> {
    for (size_t i = 0; i < values.size(); ++i) {
      const int64_t size = sizes[i % sizes.size()];
      if (-size <= values[i] && values[i] < size) continue;
      return index_outside(values[i], size);
    }
    return std::nullopt;
  };
  frame.guard_integers(inside, as_i64(frame, wide), check);
  return {at, {}};
}

array counted_from_front(Frame& frame, const array& at, const Sizes& sizes) {
  const mx::Stream s = frame.stream();
  const array end = numbers(sizes, at.dtype());
  return mx::where(mx::less(at, array(0, at.dtype()), s), mx::add(at, end, s), at, s);
}

// ------------------------------------------------------------------------------------------------------------- boxes

namespace {

// Where a box that fits begins: i32, one for each of `axes`.
array fitting_starts(Frame& frame, const Sizes& box, const mx::Shape& whole, const std::vector<Ref>& starts,
                     const std::vector<int>& axes, IndexMode mode) {
  const mx::Stream s = frame.stream();
  std::vector<array> result;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const int64_t inner = box[axis], outer = whole[axis], room = outer - inner;
    const array& start = frame.in(starts[i]);
    const auto refusal = [=](int64_t, int64_t value) {
      return Error::mismatch(Code::out_of_range, "", fmt::format("start along axis {}", axis), fmt::format("{}", value),
                             fmt::format("0 to {} ({} elements go into {})", room, inner, outer));
    };
    const array fitting = mode == IndexMode::error ? require_within(frame, start, 0, room, refusal)
                                                   : clipped(widened(frame, start), {0}, {room}, s);
    result.push_back(mx::reshape(mx::astype(fitting, mx::int32, s), {1}, s));
  }
  return result.size() == 1 ? result[0] : mx::concatenate(result, 0, s);
}

// sign·start + 0, 1 … count-1, as positions on an axis of that size that may be outside. Starts are clipped to
// low … high first, beyond which nothing lies inside either.
Positions shifted(Frame& frame, Ref start, int64_t low, int64_t high, int sign, int count, int64_t size) {
  const mx::Stream s = frame.stream();
  const array from = mx::astype(clipped(widened(frame, frame.in(start)), {low}, {high}, s), mx::int64, s);
  const array steps = mx::arange(0, count, mx::int64, s);
  return positions(frame, sign > 0 ? mx::add(steps, from, s) : mx::subtract(steps, from, s), {size}, IndexMode::drop);
}

std::vector<int> axes_from_front(const std::vector<int64_t>& axes, size_t rank) {
  std::vector<int> result;
  for (int64_t axis : axes) result.push_back(from_front(axis, rank));
  return result;
}

}  // namespace

array read_box(Frame& frame, const array& x, const Sizes& box, const std::vector<Ref>& starts,
               const std::vector<int64_t>& given_axes, IndexMode mode) {
  const mx::Stream s = frame.stream();
  const mx::Shape shape = to_mlx(box);
  const std::vector<int> axes = axes_from_front(given_axes, box.size());
  if (axes.empty()) return x;
  if (mode != IndexMode::drop) {
    const array at = fitting_starts(frame, box, x.shape(), starts, axes, mode);
    if (element_count(box) == 0) return mx::zeros(shape, x.dtype(), s);
    return mx::slice(x, at, axes, shape, s);
  }
  if (element_count(box) == 0 || x.size() == 0) return mx::zeros(shape, x.dtype(), s);
  array y = x;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = axes[i], count = shape[static_cast<size_t>(axis)], size = x.shape(axis);
    const Positions along_axis = shifted(frame, starts[i], -count, size, 1, count, size);
    y = zero_outside(mx::take(y, along_axis.at, axis, s), along(*along_axis.inside, axis, x.ndim(), s), s);
  }
  return y;
}

array write_box(Frame& frame, const array& x, const array& update, const std::vector<Ref>& starts,
                const std::vector<int64_t>& given_axes, IndexMode mode) {
  const mx::Stream s = frame.stream();
  const std::vector<int> axes = axes_from_front(given_axes, x.ndim());
  if (axes.empty()) return update;
  if (mode != IndexMode::drop) {
    const Sizes box(update.shape().begin(), update.shape().end());
    const array at = fitting_starts(frame, box, x.shape(), starts, axes, mode);
    return update.size() == 0 ? x : mx::slice_update(x, update, at, axes, s);
  }
  if (update.size() == 0) return x;
  // Every element of x asks which one of the update falls on it.
  array values = update;
  std::optional<array> written;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = axes[i], count = x.shape(axis), size = update.shape(axis);
    const Positions along_axis = shifted(frame, starts[i], -size, count, -1, count, size);
    values = mx::take(values, along_axis.at, axis, s);
    const array inside = along(*along_axis.inside, axis, x.ndim(), s);
    written = written ? mx::logical_and(*written, inside, s) : inside;
  }
  return mx::where(*written, values, x, s);
}

// ------------------------------------------------------------------------------------------------------------ writes

namespace {

// The last write to each row. MLX keeps the order of writes on the CPU alone, and cannot leave one out.
array set_rows(Frame& frame, const array& x, const Positions& rows, const array& updates) {
  const mx::Stream s = frame.stream();
  if (frame.on_cpu() && !rows.inside) return mx::scatter(x, rows.at, mx::expand_dims(updates, 1, s), 0, s);
  array number = mx::arange(0, updates.shape(0), mx::int32, s);
  const array none(-1, mx::int32);
  if (rows.inside) number = mx::where(*rows.inside, number, none, s);
  const array last = last_writes(x.shape(0), rows.at, number, s);
  const array written = mx::take(updates, mx::maximum(last, array(0, mx::int32), s), 0, s);
  return mx::where(beside_rows(mx::greater(last, none, s), x, s), written, x, s);
}

array sum_or_product(Frame& frame, ScatterFn fn, const array& x, const Positions& rows, const array& updates) {
  const mx::Stream s = frame.stream();
  const bool narrow = x.dtype() == mx::float16 || x.dtype() == mx::bfloat16;
  const mx::Dtype dtype = narrow ? mx::float32 : x.dtype();
  array terms = mx::astype(updates, dtype, s);
  if (rows.inside) {
    const array nothing(fn == ScatterFn::add ? 0 : 1, dtype);
    terms = mx::where(beside_rows(*rows.inside, updates, s), terms, nothing, s);
  }
  return mx::astype(scatter(fn, mx::astype(x, dtype, s), rows.at, terms, s), x.dtype(), s);
}

// Reals as integers: MLX loses NaN here.
array extreme(Frame& frame, ScatterFn fn, const array& x, const Positions& rows, const array& updates) {
  const mx::Stream s = frame.stream();
  if (mx::issubdtype(x.dtype(), mx::floating)) {
    const mx::Dtype dtype = x.dtype() == mx::float64 ? mx::float64 : mx::float32;
    const auto ordered = [&](const array& reals) {
      return to_ordered(frame, mx::astype(reals, dtype, s), fn == ScatterFn::max ? NanPlace::last : NanPlace::first);
    };
    const array y = extreme(frame, fn, ordered(x), rows, ordered(updates));
    return mx::astype(from_ordered(frame, y, dtype), x.dtype(), s);
  }
  array numbers = updates;
  if (rows.inside) {
    // Its own row's value changes nothing.
    numbers = mx::where(beside_rows(*rows.inside, updates, s), updates, mx::take(x, rows.at, 0, s), s);
  }
  return scatter(fn, x, rows.at, numbers, s);
}

}  // namespace

array combine(Frame& frame, ScatterFn fn, const array& x, const Positions& rows, const array& updates) {
  if (x.size() == 0 || updates.size() == 0) return x;
  switch (fn) {
    case ScatterFn::set: return set_rows(frame, x, rows, updates);
    case ScatterFn::add:
    case ScatterFn::mul: return sum_or_product(frame, fn, x, rows, updates);
    case ScatterFn::max:
    case ScatterFn::min: return extreme(frame, fn, x, rows, updates);
  }
  return x;
}

}  // namespace ingot::mlx_engine
