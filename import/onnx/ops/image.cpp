// Resizing, sampling and regions of images.
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// ------------------------------------------------------------------------------------------------------------ resize

// p/q for a scale that a file holds as f32: the simplest fraction that rounds to it. 0.7f stands for 7/10, so that 10
// rows become 7; its exact value would make them 6.
struct Fraction {
  int64_t p, q;
};

Fraction fraction_of(double scale) {
  constexpr int64_t kMost = 1000;
  for (int64_t q = 1; q <= kMost; ++q) {
    const double p = std::round(scale * static_cast<double>(q));
    if (static_cast<float>(p / static_cast<double>(q)) == static_cast<float>(scale))
      return {static_cast<int64_t>(p), q};
  }
  constexpr int64_t kExact = int64_t{1} << 24;
  return {std::llround(scale * kExact), kExact};
}

// ⌊size·scale⌋
Dim scaled(const Node& node, const Dim& size, double scale) {
  if (!(scale > 0 && scale < 1 << 20)) node.malformed("a scale", fmt::format("{}", scale), "more than 0 and small");
  const Fraction fraction = fraction_of(scale);
  return floor_div(size * fraction.p, fraction.q);
}

// What becomes of the axes: sizes of all, and scales where they are not the quotients of sizes, as numbers or as data.
struct Target {
  std::vector<int64_t> axes;
  Shape sizes;
  std::vector<double> scales;
  std::optional<Var> factors;
};

// A list of reals that the file holds, or that the model computes.
struct Reals {
  std::vector<double> known;
  std::optional<Var> data;
};

Reals reals_in(Node& node, size_t i, size_t count) {
  const TensorType list = node.type(i);
  const Dim wanted = static_cast<int64_t>(count);
  if (!is_real(list.dtype) || equal(element_count(list.shape), wanted) == Proof::no) {
    node.malformed(fmt::format("input {}", i), to_string(list), fmt::format("{} reals", count));
  }
  if (const auto constant = node.find_constant(i)) return {reals_of(*constant), {}};
  return {{}, reshape(node.input(i), {wanted})};
}

Dim size_along(Node& node, int64_t axis) { return node.type(0).shape[static_cast<size_t>(axis)]; }

Target target_of_scales(Node& node, std::vector<int64_t> axes, std::vector<double> scales) {
  Target target{std::move(axes), {}, std::move(scales), {}};
  for (size_t i = 0; i < target.axes.size(); ++i) {
    target.sizes.push_back(scaled(node, size_along(node, target.axes[i]), target.scales[i]));
  }
  return target;
}

// ⌊x⌋ as a size.
Dim bound_floor(Node& node, Var x) { return node.bind_size(node.graph().cast(node.graph().floor(x), DType::i64)); }

Var size_as(GraphBuilder& graph, const Dim& size, DType dtype) { return graph.cast(graph.size_of(size), dtype); }

// Sizes ⌊size·factor⌋, rounded to the factors' dtype before the floor: 10 rows and 0.7f are 7, as above.
Target target_of_factors(Node& node, std::vector<int64_t> axes, Var factors) {
  Target target{std::move(axes), {}, {}, factors};
  const std::vector<Var> each = elements_of(factors);
  for (size_t i = 0; i < target.axes.size(); ++i) {
    const Var size = size_as(node.graph(), size_along(node, target.axes[i]), factors.dtype());
    target.sizes.push_back(bound_floor(node, size * each[i]));
  }
  return target;
}

Target target_of_input(Node& node, std::vector<int64_t> axes, size_t i) {
  Reals scales = reals_in(node, i, axes.size());
  if (scales.data) return target_of_factors(node, std::move(axes), *scales.data);
  return target_of_scales(node, std::move(axes), std::move(scales.known));
}

constexpr int64_t kMostPixels = int64_t{1} << 31;

// The same when the model runs, in f64.
Target with_bound_aspect_ratio(Node& node, Target target, bool larger) {
  GraphBuilder& graph = node.graph();
  std::vector<Var> from;
  std::optional<Var> scale;
  for (size_t i = 0; i < target.axes.size(); ++i) {
    from.push_back(size_as(graph, size_along(node, target.axes[i]), DType::f64));
    const Var own = size_as(graph, target.sizes[i], DType::f64) / from.back();
    scale = !scale ? own : larger ? graph.max(*scale, own) : graph.min(*scale, own);
  }
  if (!scale) return target;
  for (size_t i = 0; i < target.axes.size(); ++i) target.sizes[i] = bound_floor(node, *scale * from[i] + 0.5);
  target.factors = broadcast_to(*scale, {static_cast<int64_t>(target.axes.size())});
  return target;
}

// One scale for all axes, so that no size is larger (or none smaller) than the one that is asked for.
Target with_aspect_ratio(Node& node, Target target, bool larger) {
  const Shape x = node.type(0).shape;
  double scale = larger ? 0 : HUGE_VAL;
  for (size_t i = 0; i < target.axes.size(); ++i) {
    const Dim& size = x[static_cast<size_t>(target.axes[i])];
    if (!size.is_literal() || !target.sizes[i].is_literal() || size.literal() < 1 ||
        target.sizes[i].literal() > kMostPixels) {
      return with_bound_aspect_ratio(node, std::move(target), larger);
    }
    const double own = static_cast<double>(target.sizes[i].literal()) / static_cast<double>(size.literal());
    scale = larger ? std::max(scale, own) : std::min(scale, own);
  }
  for (size_t i = 0; i < target.axes.size(); ++i) {
    const int64_t size = x[static_cast<size_t>(target.axes[i])].literal();
    target.sizes[i] = static_cast<int64_t>(std::floor(scale * static_cast<double>(size) + 0.5));
    target.scales.push_back(scale);
  }
  return target;
}

Target target_of(Node& node) {
  enum class Policy { stretch, not_larger, not_smaller };
  const auto policy = node.choice<Policy>(
      "keep_aspect_ratio_policy", "stretch",
      {{"stretch", Policy::stretch}, {"not_larger", Policy::not_larger}, {"not_smaller", Policy::not_smaller}});
  const int64_t rank = node.rank(0);
  std::vector<int64_t> axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto listed = node.integers("axes")) axes = axes_of(node, "axes", *listed, rank);
  const size_t scales = node.version() < 11 ? 1 : 2;
  // Before version 13 an input that is left out is an empty tensor.
  if (node.has(scales) && !(node.has(3) && element_count(node.type(scales).shape) == Dim(0))) {
    return target_of_input(node, std::move(axes), scales);
  }
  Target target{std::move(axes), node.dims(3), {}, {}};
  if (target.sizes.size() != target.axes.size()) {
    node.malformed("sizes", fmt::format("{}", target.sizes.size()), fmt::format("{}", target.axes.size()));
  }
  return policy == Policy::stretch ? target : with_aspect_ratio(node, std::move(target), policy == Policy::not_smaller);
}

// Axes that stay as they are need no work; with factors as data any may change.
Target changes_of(const Target& target, const Shape& x) {
  if (target.factors) return target;
  Target changes;
  for (size_t i = 0; i < target.axes.size(); ++i) {
    const bool same_scale = target.scales.empty() || target.scales[i] == 1;
    if (same_scale && equal(x[static_cast<size_t>(target.axes[i])], target.sizes[i]) == Proof::yes) continue;
    changes.axes.push_back(target.axes[i]);
    changes.sizes.push_back(target.sizes[i]);
    if (!target.scales.empty()) changes.scales.push_back(target.scales[i]);
  }
  return changes;
}

ResizeMode mode_of(Node& node) {
  return node.choice<ResizeMode>(
      "mode", "nearest",
      {{"nearest", ResizeMode::nearest}, {"linear", ResizeMode::linear}, {"cubic", ResizeMode::cubic}});
}

ResizeCoordinates coordinates_of(Node& node) {
  return node.choice<ResizeCoordinates>("coordinate_transformation_mode", "half_pixel",
                                        {{"half_pixel", ResizeCoordinates::half_pixel},
                                         {"half_pixel_symmetric", ResizeCoordinates::half_pixel_symmetric},
                                         {"pytorch_half_pixel", ResizeCoordinates::pytorch_half_pixel},
                                         {"align_corners", ResizeCoordinates::align_corners},
                                         {"asymmetric", ResizeCoordinates::asymmetric},
                                         {"tf_crop_and_resize", ResizeCoordinates::tf_crop_and_resize}});
}

ResizeRounding rounding_of(Node& node) {
  return node.choice<ResizeRounding>("nearest_mode", "round_prefer_floor",
                                     {{"round_prefer_floor", ResizeRounding::round_prefer_floor},
                                      {"round_prefer_ceil", ResizeRounding::round_prefer_ceil},
                                      {"floor", ResizeRounding::floor},
                                      {"ceil", ResizeRounding::ceil}});
}

// As before version 11: positions are i/scale, rounded down.
Var resized_as_before(Node& node, Var x, const Target& all) {
  const auto mode = node.choice<ResizeMode>(
      "mode", "nearest",
      {{"nearest", ResizeMode::nearest}, {"linear", ResizeMode::linear}, {"bilinear", ResizeMode::linear}});
  const Target target = changes_of(all, Shape(x.shape()));
  if (target.axes.empty()) return x;
  return x.graph().resize(x, target.axes, target.sizes,
                          {.scales = target.scales,
                           .mode = mode,
                           .coordinates = ResizeCoordinates::asymmetric,
                           .rounding = ResizeRounding::floor,
                           .factors = target.factors});
}

void resize(Node& node, GraphBuilder& graph) {
  Target target = target_of(node);
  const Var x = node.input(0);
  if (node.version() < 11) return node.set(0, resized_as_before(node, x, target));
  options::Resize options{.mode = mode_of(node),
                          .coordinates = coordinates_of(node),
                          .rounding = rounding_of(node),
                          .cubic_coefficient = node.real("cubic_coeff_a", -0.75),
                          .exclude_outside = node.flag("exclude_outside", false),
                          .antialias = node.flag("antialias", false),
                          .extrapolation = node.real("extrapolation_value", 0.0)};
  if (options.coordinates == ResizeCoordinates::tf_crop_and_resize) {
    Reals bounds = reals_in(node, 1, 2 * target.axes.size());
    options.roi = std::move(bounds.known);
    options.region = bounds.data;
  } else {
    if (node.has(1)) node.type(1);  // only that mode looks at the regions
    target = changes_of(target, Shape(x.shape()));
  }
  if (target.axes.empty()) return node.set(0, x);
  options.scales = target.scales;
  options.factors = target.factors;
  node.set(0, graph.resize(x, target.axes, target.sizes, options));
}

void upsample(Node& node, GraphBuilder&) {
  std::vector<int64_t> axes(static_cast<size_t>(node.rank(0)));
  std::iota(axes.begin(), axes.end(), 0);
  if (node.version() >= 9) {
    const Target target = target_of_input(node, std::move(axes), 1);
    return node.set(0, resized_as_before(node, node.input(0), target));
  }
  const auto listed = node.reals("scales");
  if (!listed || listed->size() != axes.size()) {
    node.malformed("scales", listed ? fmt::format("{}", listed->size()) : "missing", fmt::format("{}", axes.size()));
  }
  node.set(0, resized_as_before(node, node.input(0), target_of_scales(node, std::move(axes), *listed)));
}

// ----------------------------------------------------------------------------------------------------------- sampling

void grid_sample(Node& node, GraphBuilder& graph) {
  const auto mode = node.choice<GridMode>("mode", "linear",
                                          {{"linear", GridMode::linear},
                                           {"bilinear", GridMode::linear},
                                           {"nearest", GridMode::nearest},
                                           {"cubic", GridMode::cubic},
                                           {"bicubic", GridMode::cubic}});
  const auto padding = node.choice<GridPadding>(
      "padding_mode", "zeros",
      {{"zeros", GridPadding::zeros}, {"border", GridPadding::border}, {"reflection", GridPadding::reflection}});
  const bool align_corners = node.flag("align_corners", false);
  const Var x = node.input(0), grid = node.input(1);
  node.set(0, graph.grid_sample(x, ensure_size(grid, 0, x.dim(0)),
                                {.mode = mode, .padding = padding, .align_corners = align_corners}));
}

// Positions -1 … 1 along an axis of the grid: of the centres of pixels, or of the corners' ones.
Var positions(GraphBuilder& graph, const Dim& size, bool corners) {
  const Var i = graph.iota(size, {.dtype = DType::f64});
  const Var steps = graph.cast(graph.size_of(max(corners ? size - 1 : size, 1)), DType::f64);
  return (corners ? i * 2.0 : i * 2.0 + 1.0) / steps - 1.0;
}

// Σ theta[:, k]·position_k, the last axis of the image first, and theta[:, last] added
void affine_grid(Node& node, GraphBuilder& graph) {
  const bool corners = node.flag("align_corners", false);
  const Var theta = node.input(0);
  const std::vector<Dim> size = node.dims(1);
  if (size.size() != 4 && size.size() != 5) node.malformed("size", fmt::format("{} numbers", size.size()), "4 or 5");
  const Shape spatial(size.begin() + 2, size.end());
  Shape with_one = spatial;
  with_one.emplace_back(1);
  std::vector<Var> columns;
  for (size_t back = 1; back <= spatial.size(); ++back) {
    Shape along(spatial.size() + 1, 1);
    const size_t axis = spatial.size() - back;
    along[axis] = spatial[axis];
    columns.push_back(broadcast_to(reshape(positions(graph, spatial[axis], corners), along), with_one));
  }
  columns.push_back(graph.full(with_one, 1.0, {.dtype = DType::f64}));
  const auto rank = static_cast<int64_t>(spatial.size());
  const Var base = reshape(graph.concatenate(columns, {.axis = rank}), {element_count(spatial), rank + 1});
  const Var grid = graph.matmul(base, as_dtype(theta, DType::f64), {.transpose_b = true});
  Shape shape{theta.dim(0)};
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  shape.emplace_back(rank);
  node.set(0, as_dtype(reshape(grid, shape), theta.dtype()));
}

// ------------------------------------------------------------------------------------------------------------ regions

void roi_align(Node& node, GraphBuilder& graph) {
  const bool maximum = node.choice<bool>("mode", "avg", {{"avg", false}, {"max", true}});
  const bool half_pixel =
      node.choice<bool>("coordinate_transformation_mode", node.version() < 16 ? "output_half_pixel" : "half_pixel",
                        {{"half_pixel", true}, {"output_half_pixel", false}});
  const options::RoiAlign options{.height = node.integer("output_height", 1),
                                  .width = node.integer("output_width", 1),
                                  .sampling = node.integer("sampling_ratio", 0),
                                  .scale = node.real("spatial_scale", 1.0),
                                  .half_pixel = half_pixel};
  const Var x = node.input(0), rois = node.input(1), batch = ensure(node.input(2), {rois.dim(0)});
  node.set(0, maximum ? graph.roi_align_max(x, rois, batch, options) : graph.roi_align_avg(x, rois, batch, options));
}

void max_roi_pool(Node& node, GraphBuilder& graph) {
  const auto shape = node.integers("pooled_shape");
  if (!shape || shape->size() != 2) node.malformed("pooled_shape", "not two numbers", "height and width");
  const double scale = node.real("spatial_scale", 1.0);
  node.set(0, graph.roi_pool(node.input(0), node.input(1), shape->at(0), shape->at(1), {.scale = scale}));
}

// How many boxes of a class: none where it is negative.
Dim most_boxes(Node& node, GraphBuilder& graph) {
  if (!node.has(2)) return 0;
  if (node.find_dims(2)) return max(node.dim(2), 0);
  const Var most = as_scalar(node.input(2));
  return node.bind_size(graph.max(most, graph.scalar(0, most.dtype())));
}

void non_max_suppression(Node& node, GraphBuilder& graph) {
  const bool center = node.flag("center_point_box", false);
  const Dim most = most_boxes(node, graph);
  const auto threshold = [&](size_t i) {
    const auto given = node.optional_input(i);
    return given ? std::optional(as_scalar(*given)) : std::nullopt;
  };
  const auto iou = threshold(3), least = threshold(4);
  const Var boxes = node.input(0);
  Var scores = node.input(1);
  if (scores.type().rank() == 3 && boxes.type().rank() == 3) {
    scores = ensure(scores, {boxes.dim(0), scores.dim(1), boxes.dim(1)});
  }
  node.set(0, graph.nms(boxes, scores, node.add_symbol("count"), most,
                        {.iou_threshold = iou, .score_threshold = least, .center = center}));
}

// Named so that the report says why.
void image_decoder(Node&, GraphBuilder&) { throw Unsupported("Ingot reads no image files"); }

constexpr Handler rows[] = {
    {"AffineGrid", 20, affine_grid},
    {"GridSample", 16, grid_sample},
    {"ImageDecoder", 20, image_decoder},
    {"MaxRoiPool", 1, max_roi_pool},
    {"NonMaxSuppression", 10, non_max_suppression},
    {"Resize", 10, resize},
    {"RoiAlign", 10, roi_align},
    {"Upsample", 7, upsample},
};

}  // namespace

std::span<const Handler> image_handlers() { return rows; }

}  // namespace ingot::onnx
