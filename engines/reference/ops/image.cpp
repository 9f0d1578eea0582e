// Ops on images. Sums in double, in index order; a sample of weight 0 is not read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/regions.h"
#include "engines/reference/resample.h"
#include "engines/reference/walk.h"
#include "program/boxes.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

void require_elements(int64_t axis, int64_t size) {
  if (size > 0) return;
  throw Error::mismatch(Code::out_of_range, "", fmt::format("axis {} of x", axis), "0", "at least 1 to sample from");
}

[[noreturn]] void refuse(std::string_view subject, double value, std::string expected) {
  throw Error::mismatch(Code::out_of_range, "", subject, fmt::format("{}", value), std::move(expected));
}

// ------------------------------------------------------------------------------------------------------------ resize

// The op with the numbers that are values as attributes.
op::Resize with_numbers(op::Resize op, const Frame& frame) {
  if (op.factors) {
    const auto factors = frame.in(*op.factors);
    for (int64_t i = 0; i < factors.size(); ++i) {
      const double scale = factors[i];
      if (!(scale >= 0x1p-32 && scale <= 0x1p32)) refuse(fmt::format("factor {}", i), scale, "2^-32 to 2^32");
      op.scales.push_back(scale);
    }
  }
  if (op.region) {
    const auto region = frame.in(*op.region);
    for (int64_t i = 0; i < region.size(); ++i) {
      if (!std::isfinite(region[i])) refuse(fmt::format("number {} of region", i), region[i], "a finite number");
      op.roi.push_back(region[i]);
    }
  }
  return op;
}

struct Resized {
  std::vector<int64_t> axes;  // from the front
  std::vector<ResizedAxis> samples;
};

Resized resized(const op::Resize& op, const Sizes& in, const Sizes& out, Frame& frame) {
  Resized result;
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const int64_t axis = from_front(op.axes[i], in.size());
    const auto at = static_cast<size_t>(axis);
    require_elements(axis, in[at]);
    result.axes.push_back(axis);
    result.samples.push_back(resized_axis(op, i, in[at], out[at], frame));
  }
  return result;
}

// Calls f(i) for every element whose position along some axis lies outside x.
template <class F>
void each_cropped(const Resized& resize, const Sizes& sizes, F&& f) {
  const Sizes strides = strides_of(sizes);
  for (int64_t i = 0, n = element_count(sizes); i < n; ++i) {
    for (size_t k = 0; k < resize.axes.size(); ++k) {
      const auto axis = static_cast<size_t>(resize.axes[k]);
      if (!resize.samples[k].cropped[static_cast<size_t>(i / strides[axis] % sizes[axis])]) continue;
      f(i);
      break;
    }
  }
}

// y[..., p, ...] = Σ weight(p, t) · x[..., element(p, t), ...] along one axis; `sizes` becomes that of y.
Scratch<double> resample(const Scratch<double>& x, Sizes& sizes, int64_t axis, const ResizedAxis& samples,
                         Frame& frame) {
  const Lanes from(sizes, axis);
  sizes[static_cast<size_t>(axis)] = samples.out;
  const Lanes to(sizes, axis);
  frame.spend(element_count(sizes), samples.taps);
  auto y = frame.scratch<double>(element_count(sizes));
  to.each([&](int64_t o, int64_t i) {
    for (int64_t p = 0; p < samples.out; ++p) {
      double sum = 0;
      for (int64_t t = 0; t < samples.taps; ++t) {
        const double weight = samples.weight(p, t);
        if (weight != 0) sum += weight * x[static_cast<size_t>(from.at(o, samples.element(p, t), i))];
      }
      y[static_cast<size_t>(to.at(o, p, i))] = sum;
    }
  });
  return y;
}

// Every axis after the other.
void interpolate(const op::Resize& op, Frame& frame) {
  const auto x = frame.in(op.x);
  const auto y = frame.out();
  if (y.size() == 0) return;
  const Resized resize = resized(op, x.sizes(), y.sizes(), frame);
  Sizes sizes = x.sizes();
  auto values = frame.scratch<double>(x.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = x[static_cast<int64_t>(i)];
  for (size_t k = 0; k < resize.axes.size(); ++k) {
    values = resample(values, sizes, resize.axes[k], resize.samples[k], frame);
  }
  for (size_t i = 0; i < values.size(); ++i) y.store(static_cast<int64_t>(i), values[i]);
  each_cropped(resize, y.sizes(), [&](int64_t i) { y.store(i, op.extrapolation); });
}

// y[p0, p1, ...] = x[element(p0), element(p1), ...]
template <class T>
void take_nearest(const op::Resize& op, Frame& frame) {
  const auto x = frame.in<T>(op.x);
  const auto y = frame.out<T>();
  if (y.size() == 0) return;
  const Resized resize = resized(op, x.sizes(), y.sizes(), frame);
  const Sizes from = strides_of(x.sizes()), to = strides_of(y.sizes());
  Sizes at(to.size());
  for (int64_t i = 0, n = y.size(); i < n; ++i) {
    for (size_t axis = 0; axis < to.size(); ++axis) at[axis] = i / to[axis] % y.sizes()[axis];
    for (size_t k = 0; k < resize.axes.size(); ++k) {
      int64_t& position = at[static_cast<size_t>(resize.axes[k])];
      position = resize.samples[k].element(position, 0);
    }
    y.store(i, x[std::inner_product(at.begin(), at.end(), from.begin(), int64_t{0})]);
  }
  each_cropped(resize, y.sizes(), [&](int64_t i) { y.store(i, static_cast<T>(op.extrapolation)); });
}

}  // namespace

static void kernel(const op::Resize& op, Frame& frame) {
  const op::Resize known = with_numbers(op, frame);
  if (known.mode != ResizeMode::nearest) return interpolate(known, frame);
  with_domain(frame.dtype(op.x), [&]<class T>() { take_nearest<T>(known, frame); });
}

// -------------------------------------------------------------------------------------------------------------- grid

// y[n, c, o...] = Σ over the samples of grid[n, o...] of weight · x[n, c, element...]; one outside x adds nothing.
template <class T>
static void sample_grid(const op::GridSample& op, Frame& frame) {
  const auto x = frame.in<T>(op.x);
  const auto grid = frame.in(op.grid);
  const auto y = frame.out<T>();
  if (y.size() == 0) return;
  const Sizes spatial(x.sizes().begin() + 2, x.sizes().end()), strides = strides_of(spatial);
  const auto rank = static_cast<int64_t>(spatial.size());
  for (int64_t axis = 0; axis < rank; ++axis) require_elements(axis + 2, spatial[static_cast<size_t>(axis)]);
  const int64_t batches = x.sizes()[0], channels = x.sizes()[1], area = element_count(spatial);
  const int64_t points = y.size() / (batches * channels);
  const bool nearest = op.mode == GridMode::nearest;  // one sample, which keeps its bits
  const int each = op.mode == GridMode::cubic ? 4 : nearest ? 1 : 2;
  const int64_t samples = element_count(Sizes(spatial.size(), each));
  frame.spend(y.size(), samples);
  std::vector<GridTaps> taps(spatial.size());
  for (int64_t n = 0; n < batches; ++n) {
    for (int64_t p = 0; p < points; ++p) {
      for (int64_t axis = 0; axis < rank; ++axis) {  // the grid has the last axis first
        const double coordinate = grid[(n * points + p) * rank + (rank - 1 - axis)];
        taps[static_cast<size_t>(axis)] = grid_taps(op, coordinate, spatial[static_cast<size_t>(axis)]);
      }
      for (int64_t c = 0; c < channels; ++c) {
        T sum{};
        for (int64_t s = 0; s < samples; ++s) {
          double weight = 1;
          int64_t at = (n * channels + c) * area;
          for (size_t axis = spatial.size(), rest = static_cast<size_t>(s); axis-- > 0;
               rest /= static_cast<size_t>(each)) {
            const size_t tap = rest % static_cast<size_t>(each);
            weight *= taps[axis].element[tap] < 0 ? 0 : taps[axis].weight[tap];
            at += taps[axis].element[tap] * strides[axis];
          }
          if (weight == 0) continue;
          if constexpr (std::is_same_v<T, double>) {
            sum = nearest ? x[at] : sum + weight * x[at];
          } else {
            sum = x[at];
          }
        }
        y.store((n * channels + c) * points + p, sum);
      }
    }
  }
}

static void kernel(const op::GridSample& op, Frame& frame) {
  with_domain(frame.dtype(op.x), [&]<class T>() { sample_grid<T>(op, frame); });
}

// ----------------------------------------------------------------------------------------------------------- regions

namespace {

int64_t image_of(int64_t batch, int64_t region, int64_t images) {
  if (batch >= 0 && batch < images) return batch;
  throw Error::mismatch(Code::out_of_range, "", fmt::format("batch of region {}", region), std::to_string(batch),
                        fmt::format("0 to {}", images - 1));
}

void require_finite(double corner, int64_t region) {
  if (!std::isfinite(corner)) refuse(fmt::format("a corner of region {}", region), corner, "a finite number");
}

}  // namespace

// The mean over the points of a bin of Σ weight · x, or the largest weight · x: the four elements around a point have
// bilinear weights, and all 0 outside.
static void kernel(const op::RoiAlign& op, Frame& frame) {
  const auto x = frame.in(op.x), rois = frame.in(op.rois);
  const auto batch = frame.indices(op.batch);
  const auto y = frame.out();
  if (y.size() == 0) return;
  const int64_t channels = x.sizes()[1], height = x.sizes()[2], width = x.sizes()[3];
  for (int64_t r = 0; r < y.sizes()[0]; ++r) {
    const int64_t image = image_of(batch[r], r, x.sizes()[0]);
    for (int64_t i = 0; i < 4; ++i) require_finite(rois[4 * r + i] * op.scale, r);
    const RegionAxis across = region_axis(op, rois[4 * r], rois[4 * r + 2], op.width);
    const RegionAxis down = region_axis(op, rois[4 * r + 1], rois[4 * r + 3], op.height);
    frame.spend(element_count(Sizes{channels, op.height, op.width}),
                element_count(Sizes{down.samples, across.samples}));
    const int64_t points = down.samples * across.samples;
    walk(Sizes{channels, op.height, op.width}, [&](int64_t i) {
      const int64_t plane = (image * channels + i / (op.height * op.width)) * height * width;
      double sum = 0, largest = -std::numeric_limits<double>::infinity();
      for (int64_t sy = 0; sy < down.samples && points > 0; ++sy) {
        const Between rows = between(down.point(i / op.width % op.height, sy), height);
        for (int64_t sx = 0; sx < across.samples; ++sx) {
          const Between columns = between(across.point(i % op.width, sx), width);
          for (int k = 0; k < 4; ++k) {
            const double weight = rows.weight[k / 2] * columns.weight[k % 2];
            const double value =
                weight == 0 ? 0 : weight * x[plane + rows.element[k / 2] * width + columns.element[k % 2]];
            sum += value;
            largest = larger(largest, value);
          }
        }
      }
      const double result = op.fn == RoiFn::max ? largest : sum / static_cast<double>(points);
      y.store(r * channels * op.height * op.width + i, points == 0 ? 0 : result);
    });
  }
}

// max of x over the elements that a bin covers; 0 where it covers none
static void kernel(const op::RoiPool& op, Frame& frame) {
  const auto x = frame.in(op.x), rois = frame.in(op.rois);
  const auto y = frame.out();
  if (y.size() == 0) return;
  const int64_t channels = x.sizes()[1], height = x.sizes()[2], width = x.sizes()[3];
  for (int64_t r = 0; r < y.sizes()[0]; ++r) {
    double corner[4];
    for (int64_t i = 0; i < 4; ++i) require_finite(corner[i] = rois[5 * r + 1 + i] * op.scale, r);
    const double batch = rois[5 * r];
    if (std::trunc(batch) != batch || !(batch >= 0 && batch < static_cast<double>(x.sizes()[0]))) {
      refuse(fmt::format("batch of region {}", r), batch, fmt::format("0 to {}", x.sizes()[0] - 1));
    }
    walk(Sizes{channels, op.height, op.width}, [&](int64_t i) {
      const Covered rows = covered(corner[1], corner[3], i / op.width % op.height, op.height, height);
      const Covered columns = covered(corner[0], corner[2], i % op.width, op.width, width);
      const int64_t channel = i / (op.height * op.width);
      const int64_t plane = (static_cast<int64_t>(batch) * channels + channel) * height * width;
      const bool empty = rows.end <= rows.first || columns.end <= columns.first;
      double largest = empty ? 0 : -std::numeric_limits<double>::infinity();
      for (int64_t row = rows.first; row < rows.end && !empty; ++row) {
        frame.spend(columns.end - columns.first);
        for (int64_t c = columns.first; c < columns.end; ++c) largest = larger(largest, x[plane + row * width + c]);
      }
      y.store(r * channels * op.height * op.width + i, largest);
    });
  }
}

// ------------------------------------------------------------------------------------------------------------- boxes

namespace {

Box box_at(const View<double>& boxes, int64_t i, bool center) {
  return box_of({boxes[4 * i], boxes[4 * i + 1], boxes[4 * i + 2], boxes[4 * i + 3]}, center);
}

struct Thresholds {
  double overlap = 0;
  std::optional<double> score;
};

Thresholds thresholds_of(const op::Nms& op, const Frame& frame) {
  Thresholds thresholds;
  if (op.iou_threshold) {
    thresholds.overlap = frame.in(*op.iou_threshold)[0];
    if (!(thresholds.overlap >= 0 && thresholds.overlap <= 1)) refuse("iou_threshold", thresholds.overlap, "0 to 1");
  }
  if (op.score_threshold) {
    thresholds.score = frame.in(*op.score_threshold)[0];
    if (std::isnan(*thresholds.score)) refuse("score_threshold", *thresholds.score, "a number");
  }
  return thresholds;
}

// The boxes of one class that may be chosen, best first and of equal scores the lowest index. NaN is no score.
Scratch<int64_t> candidates(std::optional<double> least, const View<double>& scores, int64_t first, int64_t count,
                            Frame& frame) {
  auto order = frame.scratch<int64_t>(count);
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int64_t i) {
    const double score = scores[first + i];
    return std::isnan(score) || (least && score <= *least);
  });
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    const double left = scores[first + a], right = scores[first + b];
    return left != right ? left > right : a < b;
  });
  return order;
}

}  // namespace

// For each batch and class: the best box, then the best that overlaps none of the chosen by more than the threshold, …
static void kernel(const op::Nms& op, Frame& frame) {
  const auto boxes = frame.in(op.boxes), scores = frame.in(op.scores);
  const int64_t batches = scores.sizes()[0], classes = scores.sizes()[1], count = scores.sizes()[2];
  const Thresholds thresholds = thresholds_of(op, frame);
  const int64_t most = frame.size(op.max_output);
  frame.spend(scores.size(), 2);
  Scratch<int64_t> rows = frame.scratch<int64_t>(0);
  for (int64_t n = 0; n < batches && scores.size() > 0; ++n) {
    for (int64_t c = 0; c < classes; ++c) {
      Scratch<int64_t> chosen = frame.scratch<int64_t>(0);
      for (int64_t i : candidates(thresholds.score, scores, (n * classes + c) * count, count, frame)) {
        if (std::ssize(chosen) >= most) break;
        frame.spend(std::ssize(chosen));
        const Box box = box_at(boxes, n * count + i, op.center);
        const bool free = std::ranges::none_of(chosen, [&](int64_t j) {
          return overlap(box, box_at(boxes, n * count + j, op.center)) > thresholds.overlap;
        });
        if (free) chosen.push_back(i);
      }
      for (int64_t i : chosen) rows.insert(rows.end(), {n, c, i});
    }
  }
  frame.bind(op.count, std::ssize(rows) / 3);
  const auto y = frame.out<int64_t>();
  for (int64_t i = 0; i < y.size(); ++i) y.store(i, rows[static_cast<size_t>(i)]);
}

INGOT_KERNELS(image)

}  // namespace ingot::reference
