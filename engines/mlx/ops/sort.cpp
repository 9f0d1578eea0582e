// Ops that order elements. NaN comes behind everything; of equal elements the first stays first.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/ordering.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

// Elements from … to-1 along an axis.
array part(const array& x, int axis, int from, int to, mx::Stream s) {
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start[static_cast<size_t>(axis)] = from;
  stop[static_cast<size_t>(axis)] = to;
  return mx::slice(x, std::move(start), std::move(stop), s);
}

// Comparisons: as many for each of the elements as bits in the number of those in its row.
void spend(Frame& frame, size_t elements, int row) {
  frame.spend(elements * static_cast<uint64_t>(std::bit_width(static_cast<uint64_t>(row))));
}

// Both results of an op that moves elements along an axis to where `order`, their places, puts them.
std::vector<array> moved(Frame& frame, const array& x, const array& order, int axis) {
  const mx::Stream s = frame.stream();
  return {mx::take_along_axis(x, order, axis, s), mx::astype(order, mx::int64, s)};
}

std::vector<array> nothing(Frame& frame) {
  std::vector<array> results;
  for (uint32_t i = 0; i < frame.result_count(); ++i) results.push_back(frame.result_zeros(i));
  return results;
}

std::vector<array> emit(const op::Sort& op, Frame& frame) {
  const array& x = frame.in(op.x);
  if (x.size() == 0) return nothing(frame);
  const int axis = from_front(op.axis, x.ndim());
  spend(frame, x.size(), x.shape(axis));
  return moved(frame, x, sorted_order(frame, x, axis, op.descending), axis);
}

// MLX's own partition says nothing about equal elements: it serves where any order will do.
std::vector<array> emit(const op::TopK& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  const int axis = from_front(op.axis, x.ndim());
  const auto k = static_cast<int>(frame.size(op.k));
  if (x.size() == 0 || k == 0) return nothing(frame);
  spend(frame, x.size(), x.shape(axis));
  const array order = op.sorted ? sorted_order(frame, x, axis, op.largest)
                                : mx::argpartition(sort_key(frame, x, op.largest), k - 1, axis, s);
  return moved(frame, x, part(order, axis, 0, k, s), axis);
}

std::vector<array> emit(const op::Partition& op, Frame& frame) {
  const array& x = frame.in(op.x);
  if (x.size() == 0) return nothing(frame);
  const int axis = from_front(op.axis, x.ndim());
  spend(frame, x.size(), x.shape(axis));
  const auto kth = static_cast<int>(frame.size(op.kth));
  return moved(frame, x, mx::argpartition(sort_key(frame, x, false), kth, axis, frame.stream()), axis);
}

// The lower of the two in the middle, or their mean; NaN where there is one, which sorting puts last.
array emit(const op::Median& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array& x = frame.in(op.x);
  if (x.size() == 0) return mx::zeros(frame.result_shape(), x.dtype(), s);
  const int axis = from_front(op.axis, x.ndim()), n = x.shape(axis);
  spend(frame, x.size(), n);
  const array sorted = mx::sort(x, axis, s);
  const auto at = [&](int k) { return mx::reshape(part(sorted, axis, k, k + 1, s), frame.result_shape(), s); };
  array middle = at((n - 1) / 2);
  if (op.average && n % 2 == 0) {
    const mx::Dtype wide = x.dtype() == mx::float64 ? mx::float64 : mx::float32;
    // Halves first: the sum of the largest would be infinite.
    const auto half = [&](const array& of) { return mx::multiply(mx::astype(of, wide, s), array(0.5, wide), s); };
    middle = mx::astype(mx::add(half(middle), half(at(n / 2)), s), x.dtype(), s);
  }
  if (!mx::issubdtype(x.dtype(), mx::floating)) return middle;
  const array last = at(n - 1);
  return mx::where(mx::isnan(last, s), last, middle, s);
}

// ------------------------------------------------------------------------------------------------------ search_sorted

// The widest dtype of its kind that loses nothing and that every device has.
mx::Dtype readable(mx::Dtype dtype) {
  if (dtype == mx::bool_ || dtype == mx::float64) return dtype;
  if (mx::issubdtype(dtype, mx::floating)) return mx::float32;
  return mx::issubdtype(dtype, mx::unsignedinteger) ? mx::uint64 : mx::int64;
}

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(value);
  return false;
}

// What is wrong with elements that do not ascend, once they are here.
template <class T>
Error not_ascending(std::span<const T> sorted) {
  size_t k = 1;
  while (is_nan(sorted[k]) || sorted[k] >= sorted[k - 1]) ++k;
  return Error::mismatch(Code::invalid_argument, "", fmt::format("element {} of sorted", k),
                         fmt::format("{}", sorted[k]), fmt::format("at least {}, the one before", sorted[k - 1]));
}

Error refuse_sorted(const Tensor& sorted) {
  switch (sorted.dtype()) {
    case DType::bool_: return not_ascending(sorted.as<bool>());
    case DType::u64: return not_ascending(sorted.as<uint64_t>());
    case DType::i64: return not_ascending(sorted.as<int64_t>());
    case DType::f64: return not_ascending(sorted.as<double>());
    default: break;
  }
  const std::span<const float> narrow = sorted.as<float>();
  return not_ascending<double>(std::vector<double>(narrow.begin(), narrow.end()));
}

// How many of `sorted` are less than the value, with `right` not more
array emit(const op::SearchSorted& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = *promote(frame.dtype(op.sorted), frame.dtype(op.values));
  const array sorted = frame.in(op.sorted, dtype), values = frame.in(op.values, dtype);
  const int n = sorted.shape(0);
  frame.spend(sorted.size());
  spend(frame, values.size(), n);
  const array key = sort_key(frame, sorted, false);
  if (n > 1) {
    const array ascends = mx::less_equal(part(key, 0, 0, n - 1, s), part(key, 0, 1, n, s), s);
    frame.guard(ascends, mx::astype(sorted, readable(sorted.dtype()), s), refuse_sorted);
  }
  if (n == 0 || values.size() == 0) return mx::zeros(values.shape(), mx::int64, s);
  const std::string side = op.right ? "right" : "left";
  return mx::astype(mx::searchsorted(key, sort_key(frame, values, false), side, s), mx::int64, s);
}

// ------------------------------------------------------------------------------------------------------------- unique

// Along axis 0 which element differs from the one before; the first one does not.
array steps(const array& sorted, mx::Dtype dtype, mx::Stream s) {
  const int n = sorted.shape(0);
  mx::Shape first = sorted.shape();
  first[0] = 1;
  const array differs = mx::not_equal(part(sorted, 0, 1, n, s), part(sorted, 0, 0, n - 1, s), s);
  return mx::concatenate({mx::zeros(first, dtype, s), mx::astype(differs, dtype, s)}, 0, s);
}

// Keys along axis 0, and which of the distinct ones each is, in ascending order.
struct Numbered {
  array order;    // as sorting puts them
  array numbers;  // in that order
};

Numbered numbered(const array& keys, mx::Dtype dtype, mx::Stream s) {
  const array order = mx::argsort(keys, 0, s);
  return {order, mx::cumsum(steps(mx::take_along_axis(keys, order, 0, s), dtype, s), 0, false, true, s)};
}

// Each number at its key's own place.
array put_back(const Numbered& all, mx::Stream s) {
  return mx::put_along_axis(mx::zeros_like(all.numbers, s), all.order, all.numbers, 0, s);
}

// One key for each row of [n, m] that compares as the rows do. Two columns of numbers below n become one, in log m rounds.
array row_keys(array keys, mx::Stream s) {
  const int n = keys.shape(0);
  if (keys.shape(1) == 0) return mx::zeros({n}, mx::int32, s);
  const array base(n, mx::int64);
  while (keys.shape(1) > 1) {
    keys = put_back(numbered(keys, mx::int64, s), s);
    if (keys.shape(1) % 2 == 1) keys = mx::concatenate({keys, mx::zeros({n, 1}, mx::int64, s)}, 1, s);
    const array pairs = mx::reshape(keys, {n, keys.shape(1) / 2, 2}, s);
    keys = mx::add(mx::multiply(mx::take(pairs, 0, 2, s), base, s), mx::take(pairs, 1, 2, s), s);
  }
  return flattened(keys, s);
}

bool reads_values(const op::Unique&) { return true; }

// Slices are equal when neither sorts before the other: NaN is equal to NaN, and -0 to +0. The first one stands for all.
std::vector<array> emit(const op::Unique& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const array x = op.axis ? frame.in(op.x) : flattened(frame.in(op.x), s);
  const int axis = op.axis ? from_front(*op.axis, x.ndim()) : 0, n = x.shape(axis);
  if (n == 0) {
    frame.bind(op.count, 0);
    return nothing(frame);
  }
  spend(frame, std::max(static_cast<size_t>(n), x.size()), n);
  const int others = static_cast<int>(x.size() / static_cast<size_t>(n));
  const array slices = mx::reshape(mx::moveaxis(x, axis, 0, s), {n, others}, s);
  const Numbered all = numbered(row_keys(sort_key(frame, slices, false), s), mx::int32, s);
  const array last = part(all.numbers, 0, n - 1, n, s);
  const int count = frame.read(last, DType::i32).as<int32_t>()[0] + 1;
  frame.bind(op.count, count);

  const array begins = mx::searchsorted(all.numbers, mx::arange(0, count, mx::int32, s), "left", s);
  const array ends = mx::concatenate({part(begins, 0, 1, count, s), mx::full({1}, n, begins.dtype(), s)}, 0, s);
  array firsts = mx::take(all.order, begins, 0, s), counts = mx::subtract(ends, begins, s);
  array inverse = put_back(all, s);
  if (!op.sorted) {
    const array by_first = mx::argsort(firsts, 0, s);
    firsts = mx::take(firsts, by_first, 0, s);
    counts = mx::take(counts, by_first, 0, s);
    inverse = mx::take(mx::argsort(by_first, 0, s), inverse, 0, s);
  }
  const array y = x.size() == 0 ? mx::zeros(frame.result_shape(), x.dtype(), s) : mx::take(x, firsts, axis, s);
  const auto as_index = [&](const array& numbers) { return mx::astype(numbers, mx::int64, s); };
  return {y, as_index(firsts), mx::reshape(as_index(inverse), frame.result_shape(2), s), as_index(counts)};
}

}  // namespace

INGOT_LOWERINGS(sort)

}  // namespace ingot::mlx_engine
