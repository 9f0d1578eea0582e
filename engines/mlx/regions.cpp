#include "engines/mlx/regions.h"

#include <limits>

#include "engines/mlx/cast.h"
#include "engines/mlx/ordering.h"

namespace ingot::mlx_engine {

array column(const array& table, int i, mx::Stream s) { return mx::slice(table, {0, i}, {table.shape(0), i + 1}, s); }

// ------------------------------------------------------------------------------------------------------------- align

RegionAxis region_axis(const op::RoiAlign& op, const array& low, const array& high, int64_t bins, mx::Stream s) {
  const array scale = number(op.scale, low);
  const array start = mx::subtract(mx::multiply(low, scale, s), number(op.half_pixel ? 0.5 : 0.0, low), s);
  array size = mx::multiply(mx::subtract(high, low, s), scale, s);
  if (!op.half_pixel) size = mx::maximum(size, number(1, size), s);
  const array bin = mx::divide(size, number(static_cast<double>(bins), size), s);
  if (op.sampling > 0) return {start, bin, number(static_cast<double>(op.sampling), bin)};
  return {start, bin, mx::clip(mx::ceil(bin, s), number(0, bin), number(0x1p30, bin), s)};
}

std::vector<AxisSample> region_samples(const RegionAxis& axis, int64_t bins, int64_t sample, int64_t size,
                                       mx::Stream s) {
  const auto of = [&](double value) { return number(value, axis.bin); };
  const array bin = mx::reshape(mx::arange(0.0, static_cast<double>(bins), 1.0, axis.bin.dtype(), s), {1, -1}, s);
  const array part = mx::divide(mx::multiply(of(static_cast<double>(sample) + 0.5), axis.bin, s),
                                mx::maximum(axis.samples, of(1), s), s);
  const array point = mx::add(mx::add(axis.start, mx::multiply(bin, axis.bin, s), s), part, s);
  const auto last = static_cast<double>(size - 1);
  const array near =
      mx::logical_and(mx::greater_equal(point, of(-1), s), mx::less_equal(point, of(static_cast<double>(size)), s), s);
  const array within = mx::clip(mx::where(near, point, of(0), s), of(0), of(last), s);
  const array below = mx::floor(within, s), fraction = mx::subtract(within, below, s);
  const auto weight = [&](const array& value) { return mx::where(near, value, of(0), s); };
  return {sample_at(below, weight(mx::subtract(of(1), fraction, s)), size, s),
          sample_at(mx::minimum(mx::add(below, of(1), s), of(last), s), weight(fraction), size, s)};
}

std::vector<AxisSample> with_axis(std::vector<AxisSample> samples, int axis, mx::Stream s) {
  for (AxisSample& sample : samples) {
    sample = {mx::expand_dims(sample.element, axis, s), mx::expand_dims(sample.weight, axis, s)};
  }
  return samples;
}

BinTotal::BinTotal(Frame& frame, RoiFn fn, mx::Dtype dtype)
    : frame_(frame), fn_(fn), dtype_(dtype), s_(frame.stream()), none_(start()), total_(none_) {}

array BinTotal::start() const {
  const array lowest(-std::numeric_limits<double>::infinity(), dtype_);
  return fn_ == RoiFn::max ? to_ordered(frame_, lowest, NanPlace::last) : array(0, dtype_);
}

void BinTotal::add(const array& value, const array& counts) {
  const bool largest = fn_ == RoiFn::max;
  const array each = mx::where(counts, largest ? to_ordered(frame_, value, NanPlace::last) : value, none_, s_);
  total_ = largest ? mx::maximum(total_, each, s_) : mx::add(total_, each, s_);
}

array BinTotal::result(const array& points) const {
  const array zero(0, dtype_), count = mx::astype(points, dtype_, s_);
  const array result = fn_ == RoiFn::max ? from_ordered(frame_, total_, dtype_)
                                         : mx::divide(total_, mx::maximum(count, array(1, dtype_), s_), s_);
  return mx::where(mx::greater(count, zero, s_), result, zero, s_);
}

// -------------------------------------------------------------------------------------------------------------- pool

namespace {

// Halves away from 0.
array rounded(const array& x, mx::Stream s) {
  const array whole = mx::trunc(x, s), rest = mx::abs(mx::subtract(x, whole, s), s);
  return mx::where(mx::greater_equal(rest, number(0.5, x), s), mx::add(whole, mx::sign(x, s), s), whole, s);
}

}  // namespace

array covered(const array& low, const array& high, int64_t bins, int64_t size, mx::Stream s) {
  constexpr double far = 0x1p52;  // where a double has no fractions left, beyond every axis
  const auto of = [&](double value) { return number(value, low); };
  const auto numbers = [&](int64_t count) { return mx::arange(0.0, static_cast<double>(count), 1.0, low.dtype(), s); };
  const array start = mx::clip(rounded(low, s), of(-far), of(far), s);
  const array end = mx::clip(rounded(high, s), of(-far), of(far), s);
  const array length = mx::maximum(mx::add(mx::subtract(end, start, s), of(1), s), of(1), s);
  const array bin = mx::divide(length, of(static_cast<double>(bins)), s), b = numbers(bins);
  const array first = mx::add(mx::floor(mx::multiply(b, bin, s), s), start, s);
  const array behind = mx::add(mx::ceil(mx::multiply(mx::add(b, of(1), s), bin, s), s), start, s);
  const array element = numbers(size);
  return mx::logical_and(mx::greater_equal(element, mx::expand_dims(first, -1, s), s),
                         mx::less(element, mx::expand_dims(behind, -1, s), s), s);
}

array largest_in_bins(const array& values, const array& bins, int axis, const array& lowest, mx::Stream s) {
  std::vector<array> largest;
  mx::Shape shape(values.ndim(), 1);
  shape[0] = bins.shape(0);
  shape[static_cast<size_t>(axis)] = bins.shape(2);
  for (int b = 0; b < bins.shape(1); ++b) {
    const array covers = mx::reshape(mx::take(bins, b, 1, s), shape, s);
    largest.push_back(mx::max(mx::where(covers, values, lowest, s), axis, false, s));
  }
  return mx::stack(largest, axis, s);
}

}  // namespace ingot::mlx_engine
