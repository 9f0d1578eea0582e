// Ops on images. f16 and bf16 accumulate in f32; a sample of weight 0 is not read.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engines/mlx/cast.h"
#include "engines/mlx/constant.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/ordering.h"
#include "engines/mlx/regions.h"
#include "engines/mlx/resample.h"
#include "engines/mlx/sampling.h"
#include "program/boxes.h"
#include "program/decompose.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

void require_elements(int64_t axis, int64_t size) {
  if (size > 0) return;
  throw Error::mismatch(Code::out_of_range, "", fmt::format("axis {} of x", axis), "0", "at least 1 to sample from");
}

Error refusal(std::string_view subject, double value, std::string expected) {
  return Error::mismatch(Code::out_of_range, "", subject, fmt::format("{}", value), std::move(expected));
}

// Reals in a dtype that the host can read as it is.
array readable(const Frame& frame, Ref ref) {
  return frame.in(ref, frame.dtype(ref) == DType::f64 ? DType::f64 : DType::f32);
}

std::vector<double> reals_of(const Tensor& tensor) {
  const auto list = [](auto values) { return std::vector<double>(values.begin(), values.end()); };
  return tensor.dtype() == DType::f64 ? list(tensor.as<double>()) : list(tensor.as<float>());
}

std::vector<double> read_reals(Frame& frame, Ref ref) {
  const array values = readable(frame, ref);
  return reals_of(frame.read(values, from_mlx(values.dtype())));
}

void spend(Frame& frame, const Sizes& factors) { frame.spend(static_cast<uint64_t>(element_count(factors))); }

// ------------------------------------------------------------------------------------------------------------ resize

// The op with the numbers that are values as attributes.
op::Resize with_numbers(op::Resize op, Frame& frame) {
  if (op.factors) {
    for (double scale : read_reals(frame, *op.factors)) {
      const std::string subject = fmt::format("factor {}", op.scales.size());
      if (!(scale >= 0x1p-32 && scale <= 0x1p32)) throw refusal(subject, scale, "2^-32 to 2^32");
      op.scales.push_back(scale);
    }
  }
  if (op.region) {
    for (double bound : read_reals(frame, *op.region)) {
      const std::string subject = fmt::format("number {} of region", op.roi.size());
      if (!std::isfinite(bound)) throw refusal(subject, bound, "a finite number");
      op.roi.push_back(bound);
    }
  }
  return op;
}

bool reads_values(const op::Resize& op) { return op.factors || op.region; }

array emit(const op::Resize& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const op::Resize known = with_numbers(op, frame);
  if (frame.result_is_empty()) return frame.result_zeros();
  const Sizes in = frame.sizes(op.x), out = frame.result_sizes();
  std::vector<ResizedAxis> axes;
  for (size_t i = 0; i < op.axes.size(); ++i) {
    const int axis = from_front(op.axes[i], in.size());
    const auto at = static_cast<size_t>(axis);
    require_elements(axis, in[at]);
    axes.push_back(resized_axis(known, frame, i, axis, in[at], out[at]));
  }
  const DType dtype = frame.result_dtype();
  const bool nearest = op.mode == ResizeMode::nearest;
  array y = frame.in(op.x, nearest ? dtype : widened(dtype));
  for (const ResizedAxis& axis : axes) {
    y = nearest ? take_nearest(y, axis, s) : interpolate(y, axis, s);
    if (!nearest) spend(frame, {static_cast<int64_t>(y.size()), axis.taps});
  }
  y = mx::astype(y, to_mlx(dtype), s);
  if (op.coordinates != ResizeCoordinates::tf_crop_and_resize) return y;
  const Scalar outside = is_real(dtype) ? Scalar(op.extrapolation) : Scalar(static_cast<int64_t>(op.extrapolation));
  for (const ResizedAxis& axis : axes) y = extrapolate(y, axis, constant(outside, dtype), s);
  return y;
}

// -------------------------------------------------------------------------------------------------------------- grid

// y[n, c, o...] = Σ over the samples of grid[n, o...] of weight · x[n, c, element...]; one outside x adds nothing.
array emit(const op::GridSample& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  if (frame.result_is_empty()) return frame.result_zeros();
  const Sizes sizes = frame.sizes(op.x), in(sizes.begin() + 2, sizes.end());
  for (size_t axis = 0; axis < in.size(); ++axis) require_elements(static_cast<int64_t>(axis) + 2, in[axis]);
  const int batches = static_cast<int>(sizes[0]), rank = static_cast<int>(in.size());
  const array grid = mx::reshape(mx::astype(frame.in(op.grid), place_dtype(frame), s), {batches, -1, rank}, s);
  std::vector<std::vector<AxisSample>> axes;
  for (int axis = 0; axis < rank; ++axis) {  // the grid has the last axis first
    const array coordinate = mx::take(grid, rank - 1 - axis, 2, s);
    const int64_t size = in[static_cast<size_t>(axis)];
    axes.push_back(grid_samples(op, coordinate, size, s));
  }
  const std::vector<Sample> samples = combined(mx::reshape(mx::arange(batches, s), {-1, 1}, s), axes, in, s);
  spend(frame, {element_count(frame.result_sizes()), std::ssize(samples)});
  const DType dtype = frame.result_dtype();
  const bool nearest = op.mode == GridMode::nearest;
  const array rows = channel_rows(frame.in(op.x, nearest ? dtype : widened(dtype)), s);
  const array y = nearest ? unweighted(rows, samples[0], s) : weighted_sum(rows, samples, s);
  return mx::astype(mx::reshape(mx::moveaxis(y, -1, 1, s), frame.result_shape(), s), to_mlx(dtype), s);
}

// ----------------------------------------------------------------------------------------------------------- regions

Error corner_refusal(double corner, int64_t region) {
  return refusal(fmt::format("a corner of region {}", region), corner, "a finite number");
}

// What must be finite: corners times scale as f64; where there is none the corners alone, as f32 would overflow too early.
array scaled_corners(const Frame& frame, const array& corners, double scale) {
  return frame.on_cpu() ? mx::multiply(corners, number(scale, corners), frame.stream()) : corners;
}

// The most points that a bin of any region has along one axis.
int64_t most_samples(const op::RoiAlign& op, Frame& frame, const RegionAxis& axis) {
  if (op.sampling > 0) return op.sampling;
  const mx::Stream s = frame.stream();
  return frame.read(mx::astype(mx::max(axis.samples, s), mx::int64, s), DType::i64).as<int64_t>()[0];
}

// Each point is many arrays of MLX's graph.
void require_few_points(const Frame& frame, int64_t rows, int64_t columns) {
  constexpr int64_t most = int64_t{1} << 14, arrays = 80;
  const int64_t points = element_count(Sizes{rows, columns});
  if (points <= most) return frame.require_recordable(points, arrays);
  throw Error::mismatch(Code::limit, "", "the number of points of a bin", fmt::format("{} × {}", rows, columns),
                        fmt::format("at most {} in all", most));
}

bool reads_values(const op::RoiAlign& op) { return op.sampling == 0; }

// Which image each region is of: i32 or i64 [R].
array image_numbers(const op::RoiAlign& op, Frame& frame) {
  const int64_t images = frame.sizes(op.x)[0];
  const auto refused = [images](int64_t region, int64_t batch) {
    return Error::mismatch(Code::out_of_range, "", fmt::format("batch of region {}", region), std::to_string(batch),
                           fmt::format("0 to {}", images - 1));
  };
  const array& batch = frame.in(op.batch);
  if (images > 0) return require_within(frame, batch, 0, images - 1, refused);
  frame.guard(array(false), as_i64(frame, batch),
              [refused](const Tensor& witness) { return refused(0, witness.as<int64_t>()[0]); });
  return batch;
}

void require_finite_corners(Frame& frame, const array& corners) {
  frame.guard(mx::isfinite(corners, frame.stream()), corners, [](const Tensor& witness) {
    const std::vector<double> values = reals_of(witness);
    const auto first = std::ranges::find_if_not(values, [](double value) { return std::isfinite(value); });
    return corner_refusal(*first, (first - values.begin()) / 4);
  });
}

// The mean over the points of a bin of Σ weight · x, or the largest weight · x: the four elements around a point have
// bilinear weights, and all 0 outside.
array emit(const op::RoiAlign& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  if (frame.result_is_empty()) return frame.result_zeros();
  const Sizes sizes = frame.sizes(op.x);
  const int64_t height = sizes[2], width = sizes[3];
  const array image = mx::reshape(image_numbers(op, frame), {-1, 1, 1}, s);
  const array rois = mx::astype(readable(frame, op.rois), place_dtype(frame), s);
  require_finite_corners(frame, scaled_corners(frame, rois, op.scale));
  const RegionAxis across = region_axis(op, column(rois, 0, s), column(rois, 2, s), op.width, s);
  const RegionAxis down = region_axis(op, column(rois, 1, s), column(rois, 3, s), op.height, s);
  const int64_t rows = most_samples(op, frame, down), columns = most_samples(op, frame, across);
  spend(frame, {element_count(frame.result_sizes()), rows, columns});
  require_few_points(frame, rows, columns);
  if (element_count(sizes) == 0) return frame.result_zeros();

  const DType dtype = frame.result_dtype();
  const array x = channel_rows(frame.in(op.x, widened(dtype)), s);
  const auto of_regions = [&](const array& values) {
    return mx::broadcast_to(mx::reshape(values, {-1, 1, 1, 1}, s), {rois.shape(0), 1, 1, 1}, s);
  };
  BinTotal total(frame, op.fn, x.dtype());
  for (int64_t i = 0; i < rows; ++i) {
    const auto of_row = with_axis(region_samples(down, op.height, i, height, s), 2, s);
    const array has_row = mx::greater(down.samples, number(static_cast<double>(i), down.samples), s);
    for (int64_t j = 0; j < columns; ++j) {
      const auto of_column = with_axis(region_samples(across, op.width, j, width, s), 1, s);
      const array has_column = mx::greater(across.samples, number(static_cast<double>(j), across.samples), s);
      const array counts = of_regions(mx::logical_and(has_row, has_column, s));
      for (const Sample& sample : combined(image, {of_row, of_column}, {height, width}, s)) {
        total.add(weighted(x, sample, s), counts);
      }
    }
  }
  const array y = total.result(of_regions(mx::multiply(down.samples, across.samples, s)));
  return mx::astype(mx::broadcast_to(mx::moveaxis(y, -1, 1, s), frame.result_shape(), s), to_mlx(dtype), s);
}

// Whether each region, a row (image, corners), can be read; the call fails where one cannot.
array require_regions(Frame& frame, const array& table, double scale, int64_t images) {
  const mx::Stream s = frame.stream();
  const array image = column(table, 0, s), corners = mx::slice(table, {0, 1}, {table.shape(0), 5}, s);
  const array within = mx::logical_and(mx::greater_equal(image, number(0, image), s),
                                       mx::less(image, number(static_cast<double>(images), image), s), s);
  const array exists = mx::logical_and(within, mx::equal(mx::trunc(image, s), image, s), s);
  const array places = mx::astype(corners, place_dtype(frame), s);
  const array finite = mx::isfinite(scaled_corners(frame, places, scale), s);
  frame.guard(mx::logical_and(exists, finite, s), table, [images, scale](const Tensor& witness) {
    const std::vector<double> values = reals_of(witness);
    size_t row = 0;
    for (;; row += 5) {
      const auto region = static_cast<int64_t>(row / 5);
      for (size_t i = 1; i < 5; ++i) {
        const double corner = values[row + i] * scale;
        if (!std::isfinite(corner)) return corner_refusal(corner, region);
      }
      const double batch = values[row];
      if (std::trunc(batch) == batch && batch >= 0 && batch < static_cast<double>(images)) continue;
      return refusal(fmt::format("batch of region {}", region), batch, fmt::format("0 to {}", images - 1));
    }
  });
  return exists;
}

// max of x over the elements that a bin covers; 0 where it covers none
array emit(const op::RoiPool& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  if (frame.result_is_empty()) return frame.result_zeros();
  const Sizes sizes = frame.sizes(op.x);
  const array table = readable(frame, op.rois);
  const array exists = require_regions(frame, table, op.scale, sizes[0]);
  if (element_count(sizes) == 0) return frame.result_zeros();

  const array number_of = column(table, 0, s);
  const array image = mx::astype(mx::where(exists, number_of, number(0, number_of), s), mx::int32, s);
  const auto corner = [&](int i) {
    const array at = mx::astype(column(table, i, s), place_dtype(frame), s);
    return mx::multiply(at, number(op.scale, at), s);
  };
  const array rows = covered(corner(2), corner(4), op.height, sizes[2], s);
  const array columns = covered(corner(1), corner(3), op.width, sizes[3], s);
  const array x = mx::take(to_ordered(frame, frame.in(op.x), NanPlace::last), mx::flatten(image, s), 0, s);
  const array lowest = number(mx::iinfo(x.dtype()).min, x);  // below every real
  constexpr int64_t arrays_of_bins = 6;                      // of a row, and of a column
  frame.require_recordable(std::max(op.height, op.width), 2 * arrays_of_bins);
  const array found = largest_in_bins(largest_in_bins(x, columns, 3, lowest, s), rows, 2, lowest, s);
  const array y = from_ordered(frame, found, to_mlx(frame.result_dtype()));
  return mx::where(mx::equal(found, lowest, s), number(0, y), y, s);
}

// ------------------------------------------------------------------------------------------------------------- boxes

struct Thresholds {
  double overlap = 0;
  std::optional<double> score;
};

Thresholds thresholds_of(const op::Nms& op, Frame& frame) {
  Thresholds thresholds;
  if (op.iou_threshold) {
    thresholds.overlap = read_reals(frame, *op.iou_threshold)[0];
    if (!(thresholds.overlap >= 0 && thresholds.overlap <= 1)) {
      throw refusal("iou_threshold", thresholds.overlap, "0 to 1");
    }
  }
  if (op.score_threshold) {
    thresholds.score = read_reals(frame, *op.score_threshold)[0];
    if (std::isnan(*thresholds.score)) throw refusal("score_threshold", *thresholds.score, "a number");
  }
  return thresholds;
}

// The boxes of one class that may be chosen, best first and of equal scores the lowest index. NaN is no score.
Sizes candidates(std::optional<double> least, std::span<const double> scores) {
  Sizes order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  const auto score = [&](int64_t i) { return scores[static_cast<size_t>(i)]; };
  std::erase_if(order, [&](int64_t i) { return std::isnan(score(i)) || (least && score(i) <= *least); });
  std::ranges::sort(order, [&](int64_t a, int64_t b) { return score(a) != score(b) ? score(a) > score(b) : a < b; });
  return order;
}

bool reads_values(const op::Nms&) { return true; }
std::string remark(const op::Nms&, const Graph&, bool) { return "on the host: each box depends on those before it"; }

// For each batch and class: the best box, then the best that overlaps none of the chosen by more than the threshold, …
array emit(const op::Nms& op, Frame& frame) {
  const std::vector<double> numbers = read_reals(frame, op.boxes), scores = read_reals(frame, op.scores);
  const Sizes sizes = frame.sizes(op.scores);
  const Thresholds thresholds = thresholds_of(op, frame);
  const auto most = static_cast<size_t>(frame.size(op.max_output)), count = static_cast<size_t>(sizes[2]);
  frame.spend(2 * scores.size());
  std::vector<Box> boxes;
  for (size_t i = 0; i < numbers.size(); i += 4) {
    boxes.push_back(box_of({numbers[i], numbers[i + 1], numbers[i + 2], numbers[i + 3]}, op.center));
  }
  Sizes rows;
  for (int64_t list = 0; count > 0 && list < sizes[0] * sizes[1]; ++list) {
    const int64_t n = list / sizes[1], c = list % sizes[1];
    const auto of_batch = std::span(boxes).subspan(static_cast<size_t>(n) * count, count);
    const auto of_class = std::span(scores).subspan(static_cast<size_t>(list) * count, count);
    std::vector<Box> chosen;
    for (int64_t i : candidates(thresholds.score, of_class)) {
      if (chosen.size() >= most) break;
      frame.spend(chosen.size());
      const Box& box = of_batch[static_cast<size_t>(i)];
      const auto collides = [&](const Box& other) { return overlap(box, other) > thresholds.overlap; };
      if (std::ranges::any_of(chosen, collides)) continue;
      chosen.push_back(box);
      rows.insert(rows.end(), {n, c, i});
    }
  }
  frame.bind(op.count, std::ssize(rows) / 3);
  return array(rows.begin(), to_mlx(Sizes{std::ssize(rows) / 3, 3}), mx::int64);
}

}  // namespace

INGOT_LOWERINGS(image)

}  // namespace ingot::mlx_engine
