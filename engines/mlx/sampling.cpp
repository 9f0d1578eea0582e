#include "engines/mlx/sampling.h"

#include <limits>
#include <utility>

#include "engines/mlx/cast.h"

namespace ingot::mlx_engine {

AxisSample sample_at(const array& place, const array& weight, int64_t size, mx::Stream s) {
  const array zero = number(0, place), last = number(static_cast<double>(size - 1), place);
  const array inside = mx::logical_and(mx::greater_equal(place, zero, s), mx::less_equal(place, last, s), s);
  return {mx::astype(mx::where(inside, place, zero, s), mx::int32, s), mx::where(inside, weight, zero, s)};
}

std::vector<AxisSample> samples_around(const array& place, int64_t size, mx::Stream s) {
  const array one = number(1, place), below = mx::floor(place, s), fraction = mx::subtract(place, below, s);
  return {sample_at(below, mx::subtract(one, fraction, s), size, s),
          sample_at(mx::add(below, one, s), fraction, size, s)};
}

array channel_rows(const array& x, mx::Stream s) { return mx::reshape(mx::moveaxis(x, 1, -1, s), {-1, x.shape(1)}, s); }

std::vector<Sample> combined(const array& entry, const std::vector<std::vector<AxisSample>>& axes, const Sizes& sizes,
                             mx::Stream s) {
  // Rows count over all axes: their number may leave 32 bits where no axis does.
  std::vector<Sample> samples{{mx::astype(entry, mx::int64, s), number(1, axes[0][0].weight)}};
  for (size_t axis = 0; axis < axes.size(); ++axis) {
    std::vector<Sample> next;
    for (const Sample& sample : samples) {
      const array first = mx::multiply(sample.row, array(sizes[axis]), s);
      for (const AxisSample& each : axes[axis]) {
        next.push_back(
            {mx::add(first, mx::astype(each.element, mx::int64, s), s), mx::multiply(sample.weight, each.weight, s)});
      }
    }
    samples = std::move(next);
  }
  return samples;
}

namespace {

// What is read where a weight is not 0; `f` makes it of the rows and the weight.
template <class F>
array read_samples(const array& rows, const Sample& sample, mx::Stream s, F&& f) {
  const array weight = mx::expand_dims(sample.weight, -1, s), read = mx::take(rows, sample.row, 0, s);
  const array counts = mx::not_equal(weight, number(0, weight), s);
  return mx::where(counts, f(read, weight), number(0, read), s);
}

}  // namespace

array weighted(const array& rows, const Sample& sample, mx::Stream s) {
  return read_samples(rows, sample, s, [&](const array& read, const array& weight) {
    return mx::multiply(read, mx::astype(weight, read.dtype(), s), s);
  });
}

array unweighted(const array& rows, const Sample& sample, mx::Stream s) {
  return read_samples(rows, sample, s, [](const array& read, const array&) { return read; });
}

array weighted_sum(const array& rows, const std::vector<Sample>& samples, mx::Stream s) {
  array sum = number(0, rows);
  for (const Sample& sample : samples) sum = mx::add(sum, weighted(rows, sample, s), s);
  return sum;
}

}  // namespace ingot::mlx_engine
