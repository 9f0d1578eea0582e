// Lanes of layers: convolutions, pools, norms, attention, quantisation, images, recurrences, decoding.
#include "passes/rows_rule.h"

namespace ingot {
namespace {

// Where each channel of the result is computed by itself.
std::optional<size_t> channel_if(bool alone) { return alone ? std::optional<size_t>(1) : no_lane; }

}  // namespace

// --------------------------------------------------------------------------------------------------------------- conv

// x [N, C, …], w [O, C/groups, …], bias [O] -> [N, O, …]; which of several groups a channel is in depends on O.
static std::optional<Lanes> lanes(const op::Conv& op, const Scope& s, const Types& results) {
  const auto channel = channel_if(op.groups == 1);
  return LaneTable(s, results)
      .operand(op.x, {0})
      .operand(op.w, {channel})
      .operand(op.bias, {channel})
      .result({0, channel});
}

// w [C, O/groups, …]
static std::optional<Lanes> lanes(const op::ConvTranspose& op, const Scope& s, const Types& results) {
  const auto channel = channel_if(op.groups == 1);
  return LaneTable(s, results)
      .operand(op.x, {0})
      .operand(op.w, {no_lane, channel})
      .operand(op.bias, {channel})
      .result({0, channel});
}

// w_zero is a scalar or [O].
static std::optional<Lanes> lanes(const op::IntegerConv& op, const Scope& s, const Types& results) {
  const auto channel = channel_if(op.groups == 1);
  return LaneTable(s, results)
      .operand(op.x, {0})
      .operand(op.w, {channel})
      .operand(op.x_zero)
      .operand(op.w_zero, {channel})
      .result({0, channel});
}

static std::optional<Lanes> lanes(const op::DeformConv& op, const Scope& s, const Types& results) {
  const auto channel = channel_if(op.groups == 1);
  return LaneTable(s, results)
      .operand(op.x, {0})
      .operand(op.w, {channel})
      .operand(op.offset, {0})
      .operand(op.bias, {channel})
      .operand(op.mask, {0})
      .result({0, channel});
}

INGOT_LANES(conv)

// --------------------------------------------------------------------------------------------------------------- pool

static std::optional<Lanes> lanes(const op::Pool& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.x, {0, 1}).result({0, 1});
}

// Positions count images and channels in front of their own.
static std::optional<Lanes> lanes(const op::MaxPoolIndices& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes own{0, channel_if(op.per_channel)};
  return LaneTable(s, results).operand(op.x, own).result(own).result(own);
}

static std::optional<Lanes> lanes(const op::AdaptivePool& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.x, {0, 1}).result({0, 1});
}

// Only indices within a channel stay in their image.
static std::optional<Lanes> lanes(const op::MaxUnpool& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes own = op.per_channel ? Lanes::OfAxes{0, 1} : Lanes::OfAxes{};
  return LaneTable(s, results).operand(op.x, own).operand(op.indices, own).result(own);
}

INGOT_LANES(pool)

// ---------------------------------------------------------------------------------------------------- norm, attention

static std::optional<Lanes> lanes(const op::LocalResponseNorm& op, const Scope& s, const Types& results) {
  constexpr int64_t channels = 1;
  const Lanes::OfAxes others = every_axis_but(results[0], {&channels, 1});
  return LaneTable(s, results).operand(op.x, others).result(others);
}

INGOT_LANES(norm)

static std::optional<Lanes> lanes(const op::PagedAttention& op, const Scope& s, const Types& results) {
  return LaneTable(s, results)
      .operand(op.q, {0})
      .operand(op.k)
      .operand(op.v)
      .operand(op.table, {0})
      .operand(op.lengths, {0})
      .operand(op.sinks)
      .result({0});
}

INGOT_LANES(attention)

// -------------------------------------------------------------------------------------------------------------- quant

// Groups lie within the last axis.
static std::optional<Lanes> lanes(const op::Quantize& op, const Scope& s, const Types& results) {
  const int64_t last = results[0].rank() - 1;
  const Lanes::OfAxes others = every_axis_but(results[0], {&last, 1});
  return LaneTable(s, results).operand(op.x, others).operand(op.scale).result(others);
}

static std::optional<Lanes> lanes(const op::Dequantize& op, const Scope& s, const Types& results) {
  const int64_t last = results[0].rank() - 1;
  const Lanes::OfAxes others = every_axis_but(results[0], {&last, 1});
  return LaneTable(s, results).operand(op.x, others).operand(op.scale).result(others);
}

INGOT_LANES(quant)

// -------------------------------------------------------------------------------------------------------------- image

static std::optional<Lanes> lanes(const op::Resize& op, const Scope& s, const Types& results) {
  const std::vector<int64_t> axes = normalize_axes(s, "axes", op.axes, results[0].rank());
  const Lanes::OfAxes others = every_axis_but(results[0], axes);
  return LaneTable(s, results).operand(op.x, others).operand(op.factors).operand(op.region).result(others);
}

// x [N, C, …], grid [N, out…, rank] -> [N, C, out…]
static std::optional<Lanes> lanes(const op::GridSample& op, const Scope& s, const Types& results) {
  Lanes::OfAxes of_grid{0};
  for (size_t axis = 2; axis < results[0].shape.size(); ++axis) of_grid.emplace_back(axis);
  return LaneTable(s, results).operand(op.x, {0, 1}).operand(op.grid, of_grid).result(every_axis(results[0]));
}

static std::optional<Lanes> lanes(const op::RoiAlign& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.x, {no_lane, 1}).operand(op.rois, {0}).operand(op.batch, {0}).result({0, 1});
}

static std::optional<Lanes> lanes(const op::RoiPool& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.x, {no_lane, 1}).operand(op.rois, {0}).result({0, 1});
}

static std::optional<Lanes> lanes(const op::Nms&, const Scope&, const Types&) { return no_lanes; }

INGOT_LANES(image)

// ---------------------------------------------------------------------------------------------------------- recurrent

namespace {

constexpr size_t kSequence = 2;  // the axis B of [T, D, B, H]

// x [T, B, I], lengths [B], h0 [D, B, H]; results every h, then the last one.
template <class O>
LaneTable layer(const O& op, const Scope& s, const Types& results) {
  LaneTable table(s, results);
  table.operand(op.x, {no_lane, kSequence}).operand(op.w).operand(op.r).operand(op.bias);
  table.operand(op.lengths, {kSequence}).operand(op.h0, {no_lane, kSequence});
  return table.result({no_lane, no_lane, kSequence}).result({no_lane, kSequence});
}

}  // namespace

static std::optional<Lanes> lanes(const op::Rnn& op, const Scope& s, const Types& results) {
  return layer(op, s, results);
}

static std::optional<Lanes> lanes(const op::Gru& op, const Scope& s, const Types& results) {
  return layer(op, s, results);
}

static std::optional<Lanes> lanes(const op::Lstm& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes state{no_lane, kSequence};
  return layer(op, s, results).operand(op.c0, state).operand(op.peepholes).result(state);
}

// Sequences and channels, each by itself: x and delta [B, S, C], a [C, N], b and c [B, S, N], d [C], h0 [B, C, N].
static std::optional<Lanes> lanes(const op::SelectiveScan& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes of_x{0, no_lane, 2}, of_state{0, 2};
  return LaneTable(s, results)
      .operand(op.x, of_x)
      .operand(op.delta, of_x)
      .operand(op.a, {2})
      .operand(op.b, {0})
      .operand(op.c, {0})
      .operand(op.d, {2})
      .operand(op.h0, of_state)
      .result(of_x)
      .result(of_state);
}

static std::optional<Lanes> lanes(const op::GatedDelta& op, const Scope& s, const Types& results) {
  LaneTable table(s, results);
  table.operand(op.q, {0}).operand(op.k, {0}).operand(op.v, {0});
  table.operand(op.g, {0}).operand(op.beta, {0}).operand(op.state, {0});
  return table.result({0}).result({0});
}

INGOT_LANES(recurrent)

// ------------------------------------------------------------------------------------------------------------- decode

// Unless the largest is taken, the draws of a row depend on its place in row-major order.
static std::optional<Lanes> lanes(const op::Sample& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes rows = op.temperature == 0 ? every_axis(results[0]) : outermost(results[0]);
  return LaneTable(s, results).operand(op.logits, rows).operand(op.key).result(rows);
}

static std::optional<Lanes> lanes(const op::MoeRoute& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.logits, {0}).operand(op.bias).result({0}).result({0});
}

INGOT_LANES(decode)

// --------------------------------------------------------------------------------- composites alone: see their bodies

INGOT_LANES(loss)
INGOT_LANES(optimizer)

}  // namespace ingot
