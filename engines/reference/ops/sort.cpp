// Ops that order elements. NaN comes behind everything; of equal elements the first stays first.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/walk.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

template <class T>
constexpr bool has_order = !std::is_same_v<T, Complex>;

// Comparisons for each of n elements.
int64_t rounds(int64_t n) { return std::bit_width(static_cast<uint64_t>(n)); }

// Calls f(x, order, o, i) for every lane along the axis: `order` has the places of its elements as sorting puts them.
template <class F>
void each_sorted(Frame& frame, Ref ref, int64_t axis, bool descending, F f) {
  with_domain(frame.dtype(ref), [&]<class T>() {
    if constexpr (has_order<T>) {
      const View<T> x = frame.in<T>(ref);
      if (x.size() == 0) return;
      const Lanes lanes(x.sizes(), axis);
      Scratch<int64_t> order = frame.scratch<int64_t>(lanes.size);
      frame.spend(x.size(), rounds(lanes.size));
      lanes.each([&](int64_t o, int64_t i) {
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int64_t j, int64_t k) {
          const T a = x[lanes.at(o, j, i)], b = x[lanes.at(o, k, i)];
          if (sorts_before(a, b)) return !descending;
          return sorts_before(b, a) ? descending : j < k;
        });
        f(x, order, o, i);
      });
    }
  });
}

// The results: the first elements of every sorted lane, as many as fit, and where they were.
void store_sorted(Frame& frame, Ref ref, int64_t given_axis, bool descending) {
  const View<uint64_t> x = frame.bits(ref);
  const Out<uint64_t> y = frame.out_bits();
  const Out<int64_t> indices = frame.out<int64_t>(1);
  const int64_t axis = from_front(given_axis, x.sizes().size());
  const Lanes from(x.sizes(), axis), to(y.sizes(), axis);
  each_sorted(frame, ref, axis, descending, [&](const auto&, const auto& order, int64_t o, int64_t i) {
    for (int64_t k = 0; k < to.size; ++k) {
      const int64_t place = order[static_cast<size_t>(k)];
      y.store(to.at(o, k, i), x[from.at(o, place, i)]);
      indices.store(to.at(o, k, i), place);
    }
  });
}

// How many of the first n, in ascending order, come before the point where `is_before` ends.
template <class F>
int64_t bisect(int64_t n, F is_before) {
  int64_t low = 0;
  while (low < n) {
    const int64_t middle = low + (n - low) / 2;
    if (is_before(middle)) {
      low = middle + 1;
    } else {
      n = middle;
    }
  }
  return low;
}

template <class T>
void check_ascending(const View<T>& sorted) {
  for (int64_t k = 1, n = sorted.size(); k < n; ++k) {
    if (!sorts_before(sorted[k], sorted[k - 1])) continue;
    throw Error::mismatch(Code::invalid_argument, "", fmt::format("element {} of sorted", k),
                          fmt::format("{}", sorted[k]), fmt::format("at least {}, the one before", sorted[k - 1]));
  }
}

// -1, 0 or 1 as slice j comes before, is equal to, or comes behind slice k, by their first difference.
template <class T>
int compare_slices(const View<T>& x, const Lanes& slices, int64_t j, int64_t k) {
  if (slices.inner == 0) return 0;
  for (int64_t o = 0; o < slices.outer; ++o) {
    for (int64_t i = 0; i < slices.inner; ++i) {
      const T a = x[slices.at(o, j, i)], b = x[slices.at(o, k, i)];
      if (sorts_before(a, b)) return -1;
      if (sorts_before(b, a)) return 1;
    }
  }
  return 0;
}

// The distinct slices: the first of each, in the order of the result, and for each slice which of them it is.
struct Distinct {
  Scratch<int64_t> firsts, inverse;
};

template <class T>
Distinct distinct(Frame& frame, const View<T>& x, const Lanes& slices, bool sorted) {
  const int64_t n = slices.size;
  frame.spend(std::max(n, x.size()), rounds(n));
  Scratch<int64_t> order = frame.scratch<int64_t>(n), first_equal = frame.scratch<int64_t>(n);
  Distinct result{frame.scratch<int64_t>(0), frame.scratch<int64_t>(n)};
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t j, int64_t k) {
    const int difference = compare_slices(x, slices, j, k);
    return difference != 0 ? difference < 0 : j < k;
  });
  Scratch<int64_t>& firsts = result.firsts;
  for (int64_t k : order) {
    if (firsts.empty() || compare_slices(x, slices, firsts.back(), k) != 0) firsts.push_back(k);
    first_equal[static_cast<size_t>(k)] = firsts.back();
  }
  if (!sorted) std::ranges::sort(firsts);
  Scratch<int64_t>& place = order;  // of each first one, among them
  for (size_t k = 0; k < firsts.size(); ++k) place[static_cast<size_t>(firsts[k])] = static_cast<int64_t>(k);
  for (size_t k = 0; k < order.size(); ++k) result.inverse[k] = place[static_cast<size_t>(first_equal[k])];
  return result;
}

}  // namespace

static void kernel(const op::Sort& op, Frame& frame) { store_sorted(frame, op.x, op.axis, op.descending); }

static void kernel(const op::TopK& op, Frame& frame) { store_sorted(frame, op.x, op.axis, op.largest); }

// What is sorted is partitioned at every place.
static void kernel(const op::Partition& op, Frame& frame) { store_sorted(frame, op.x, op.axis, false); }

// The lower of the two in the middle, or their mean; NaN where there is one, which sorting puts last.
static void kernel(const op::Median& op, Frame& frame) {
  const Sizes& sizes = frame.sizes(op.x);
  const int64_t axis = from_front(op.axis, sizes.size());
  const Lanes lanes(sizes, axis);
  Tensor& y = frame.allocate_result();
  each_sorted(frame, op.x, axis, false, [&]<class T>(const View<T>& x, const auto& order, int64_t o, int64_t i) {
    const auto at = [&](size_t k) { return x[lanes.at(o, order[k], i)]; };
    T middle = at((order.size() - 1) / 2);
    if constexpr (std::is_same_v<T, double>) {
      if (op.average) middle = std::midpoint(middle, at(order.size() / 2));
    }
    const T last = at(order.size() - 1);
    Out<T>(y, storer<T>(y.dtype())).store(o * lanes.inner + i, is_nan(last) ? last : middle);
  });
}

// How many of `sorted` are less than the value, with `right` not more
static void kernel(const op::SearchSorted& op, Frame& frame) {
  const DType dtype = *promote(frame.dtype(op.sorted), frame.dtype(op.values));
  with_domain(dtype, [&]<class T>() {
    if constexpr (has_order<T>) {
      const View<T> sorted = frame.in<T>(op.sorted, dtype), values = frame.in<T>(op.values, dtype);
      const Out<int64_t> y = frame.out<int64_t>();
      frame.spend(sorted.size());
      frame.spend(values.size(), rounds(sorted.size()));
      check_ascending(sorted);
      for (int64_t i = 0, n = values.size(); i < n; ++i) {
        y.store(i, bisect(sorted.size(), [&](int64_t k) {
                  return op.right ? !sorts_before(values[i], sorted[k]) : sorts_before(sorted[k], values[i]);
                }));
      }
    }
  });
}

// Slices are equal when neither sorts before the other: NaN is equal to NaN, and -0 to +0. The first one stands for all.
static void kernel(const op::Unique& op, Frame& frame) {
  const Tensor& tensor = frame.tensor(op.x);
  const Sizes sizes = op.axis ? tensor.sizes() : Sizes{tensor.elements()};
  const int64_t axis = op.axis ? from_front(*op.axis, sizes.size()) : 0;
  const Lanes slices(sizes, axis);
  Distinct found;
  with_domain(tensor.dtype(), [&]<class T>() {
    if constexpr (has_order<T>) found = distinct(frame, frame.in<T>(op.x), slices, op.sorted);
  });
  const auto count = static_cast<int64_t>(found.firsts.size());
  frame.bind(op.count, count);
  const View<uint64_t> x = frame.bits(op.x);
  const Out<uint64_t> y = frame.out_bits();
  const Out<int64_t> firsts = frame.out<int64_t>(1), inverse = frame.out<int64_t>(2), counts = frame.out<int64_t>(3);
  const Lanes kept(y.sizes(), axis);
  Scratch<int64_t> times = frame.scratch<int64_t>(count);
  for (int64_t k = 0; k < slices.size; ++k) {
    const int64_t which = found.inverse[static_cast<size_t>(k)];
    inverse.store(k, which);
    ++times[static_cast<size_t>(which)];
  }
  for (int64_t k = 0; k < count; ++k) {
    firsts.store(k, found.firsts[static_cast<size_t>(k)]);
    counts.store(k, times[static_cast<size_t>(k)]);
  }
  kept.each([&](int64_t o, int64_t i) {
    for (int64_t k = 0; k < count; ++k) {
      y.store(kept.at(o, k, i), x[slices.at(o, found.firsts[static_cast<size_t>(k)], i)]);
    }
  });
}

INGOT_KERNELS(sort)

}  // namespace ingot::reference
