// Inference of ops on images: resizing, sampling, regions, boxes.
#include <cmath>

#include "program/infer.h"
#include "program/ops/ranges.h"
#include "program/scalar.h"

namespace ingot {
namespace {

void require_rank(const Scope& s, std::string_view subject, const TensorType& type, size_t rank, std::string_view why) {
  require_count(s, fmt::format("rank of {}", subject), type.shape.size(), rank, why);
}

// Interpolation needs reals; the nearest element is only moved.
void require_sampled(const Scope& s, DType dtype, bool nearest) {
  require_kind(s, "x", dtype, nearest ? kinds::computable : kinds::real);
}

// What is read outside x: an integer of x's dtype, unless that is real.
void check_extrapolation(const Scope& s, double value, DType dtype) {
  const bool whole = std::abs(value) < 0x1p63 && std::trunc(value) == value;
  check_fits(whole ? Scalar(static_cast<int64_t>(value)) : Scalar(value), dtype, s.op, "extrapolation");
}

// Numbers as a value: their contents are the kernel's to check.
void require_reals(const Scope& s, std::string_view subject, Ref value, Shape shape, std::string_view why) {
  const TensorType& type = s.type(value);
  require_kind(s, subject, type.dtype, kinds::real);
  require_type(s, subject, type, {type.dtype, std::move(shape), {}}, why);
}

void check_scales(const Scope& s, const op::Resize& op) {
  const size_t axes = op.axes.size();
  if (op.factors) {
    require_count(s, "length of scales", op.scales.size(), 0, "factors are given");
    require_reals(s, "factors", *op.factors, {static_cast<int64_t>(axes)}, "one for each of axes");
  }
  if (!op.scales.empty()) require_count(s, "length of scales", op.scales.size(), axes, "length of axes");
  for (double scale : op.scales) {
    if (!(scale >= 0x1p-32 && scale <= 0x1p32)) {
      s.refuse("a scale", fmt::format("{}", scale), "2^-32 to 2^32", Code::out_of_range);
    }
  }
}

void check_roi(const Scope& s, const op::Resize& op, DType dtype) {
  constexpr std::string_view kContents = "starts and ends of the axes", kUnread = "only tf_crop_and_resize reads it";
  const bool crops = op.coordinates == ResizeCoordinates::tf_crop_and_resize;
  const size_t bounds = crops ? 2 * op.axes.size() : 0;
  if (op.region) {
    if (!crops) s.refuse("region", "given", fmt::format("none ({})", kUnread));
    require_count(s, "length of roi", op.roi.size(), 0, "region is given");
    require_reals(s, "region", *op.region, {static_cast<int64_t>(bounds)}, kContents);
  } else {
    require_count(s, "length of roi", op.roi.size(), bounds, crops ? kContents : kUnread);
  }
  for (double bound : op.roi) require_finite(s, "a number of roi", bound);
  if (crops) check_extrapolation(s, op.extrapolation, dtype);
}

}  // namespace

static Types rule(const op::Resize& op, const Scope& s) {
  const TensorType& x = s.type(op.x);
  const bool nearest = op.mode == ResizeMode::nearest;
  require_sampled(s, x.dtype, nearest);
  const std::vector<int64_t> axes = normalize_axes(s, "axes", op.axes, x.rank());
  require_count(s, "length of sizes", op.sizes.size(), axes.size(), "length of axes");
  require_sizes(s, "size in sizes", op.sizes);
  check_scales(s, op);
  check_roi(s, op, x.dtype);
  require_finite(s, "cubic_coefficient", op.cubic_coefficient);
  if (nearest && op.antialias) s.refuse("antialias", "true", "false (mode is nearest)");
  if (nearest && op.exclude_outside) s.refuse("exclude_outside", "true", "false (mode is nearest)");
  Shape shape = x.shape;
  for (size_t i = 0; i < axes.size(); ++i) shape[static_cast<size_t>(axes[i])] = op.sizes[i];
  return {{x.dtype, std::move(shape), {}}};
}

// x [N, C, spatial...], grid [N, out..., rank] -> [N, C, out...]
static Types rule(const op::GridSample& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &grid = s.type(op.grid);
  require_sampled(s, x.dtype, op.mode == GridMode::nearest);
  require_kind(s, "grid", grid.dtype, kinds::real);
  require_at_least(s, "rank of x", x.rank(), 3);
  require_at_least(s, "rank of grid", grid.rank(), 2);
  require_equal(s, "axis 0 of grid", grid.shape[0], x.shape[0], "axis 0 of x");
  require_equal(s, "last axis of grid", grid.shape.back(), x.rank() - 2, "spatial axes of x");
  Shape shape{x.shape[0], x.shape[1]};
  shape.insert(shape.end(), grid.shape.begin() + 1, grid.shape.end() - 1);
  return {{x.dtype, std::move(shape), {}}};
}

namespace {

// x [N, C, H, W], rois [R, columns] -> [R, C, height, width]
Types regions(const Scope& s, const TensorType& x, const TensorType& rois, size_t columns, int64_t height,
              int64_t width, double scale) {
  require_kind(s, "x", x.dtype, kinds::real);
  require_rank(s, "x", x, 4, "[N, C, H, W]");
  require_kind(s, "rois", rois.dtype, kinds::real);
  require_rank(s, "rois", rois, 2, "a row for each region");
  require_equal(s, "axis 1 of rois", rois.shape[1], static_cast<int64_t>(columns));
  require_at_least(s, "height", height, 1);
  require_at_least(s, "width", width, 1);
  require_positive(s, "scale", scale);
  return {{x.dtype, {rois.shape[0], x.shape[1], height, width}, {}}};
}

}  // namespace

static Types rule(const op::RoiAlign& op, const Scope& s) {
  const TensorType &rois = s.type(op.rois), &batch = s.type(op.batch);
  Types types = regions(s, s.type(op.x), rois, 4, op.height, op.width, op.scale);
  require_kind(s, "batch", batch.dtype, kinds::integer);
  require_type(s, "batch", batch, {batch.dtype, {rois.shape[0]}, {}}, "one for each region");
  require_at_least(s, "sampling", op.sampling, 0);
  return types;
}

static Types rule(const op::RoiPool& op, const Scope& s) {
  return regions(s, s.type(op.x), s.type(op.rois), 5, op.height, op.width, op.scale);
}

static Types rule(const op::Nms& op, const Scope& s) {
  const TensorType &boxes = s.type(op.boxes), &scores = s.type(op.scores);
  require_kind(s, "boxes", boxes.dtype, kinds::real);
  require_kind(s, "scores", scores.dtype, kinds::real);
  require_rank(s, "boxes", boxes, 3, "[N, B, 4]");
  require_rank(s, "scores", scores, 3, "[N, C, B]");
  require_equal(s, "axis 2 of boxes", boxes.shape[2], 4);
  require_equal(s, "axis 0 of scores", scores.shape[0], boxes.shape[0], "axis 0 of boxes");
  require_equal(s, "axis 2 of scores", scores.shape[2], boxes.shape[1], "axis 1 of boxes");
  require_at_least(s, "max_output", op.max_output, 0);
  if (op.iou_threshold) require_reals(s, "iou_threshold", *op.iou_threshold, {}, "a scalar");
  if (op.score_threshold) require_reals(s, "score_threshold", *op.score_threshold, {}, "a scalar");
  const Symbol& count = s.symbol(op.count);
  require_counts_from(s, count, 0, "there may be no such box");
  return {{DType::i64, {count, 3}, {}}};
}

INGOT_RULES(image)

}  // namespace ingot
