// Lanes of ops that move elements, index them or make them up.
#include <numeric>

#include "passes/rows_rule.h"

namespace ingot {
namespace {

Dim count_before(const Shape& shape, size_t axis) {
  return element_count(Shape(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)));
}

// A number that divides every term of a size; 0 for the size 0.
int64_t common_factor(const Dim& size) {
  if (size.is_literal()) return size.literal();
  int64_t factor = 0;
  for (const DimTerm& term : size.terms()) factor = std::gcd(factor, std::max(term.coefficient, int64_t{1}));
  return factor;
}

// How two sizes relate, if as two numbers do.
std::optional<Lanes::Ratio> ratio_of(const Dim& from, const Dim& to) {
  if (equal(from, to) == Proof::yes) return Lanes::Ratio{};
  const int64_t a = common_factor(from), b = common_factor(to), shared = std::gcd(a, b);
  if (a == 0 || b == 0) return std::nullopt;
  const Lanes::Ratio ratio{a / shared, b / shared};
  if (equal(from * ratio.results, to * ratio.operands) != Proof::yes) return std::nullopt;
  return ratio;
}

}  // namespace

// -------------------------------------------------------------------------------------------------------------- shape

// Where the axes before one of x and before one of the result make as many parts, a part has the same elements in the
// same order on both sides. The two axes cut it into equal slices, n·k and n·m of them, so k slices of x are m of the
// result. An axis of size 1 cuts nothing, and goes with none but its like: of the others one at most on each side has
// so many parts before it.
static std::optional<Lanes> lanes(const op::Reshape& op, const Scope& s, const Types& results) {
  const Shape &from = s.type(op.x).shape, &to = results[0].shape;
  Lanes::OfAxes of_x(from.size()), of_result(to.size());
  std::map<size_t, Lanes::Ratio> ratios;
  const auto is_one = [](const Dim& size) { return equal(size, 1) == Proof::yes; };
  for (size_t axis = 0, next = 0; axis < from.size(); ++axis) {
    for (size_t place = next; place < to.size(); ++place) {
      const bool alike = is_one(from[axis]) == is_one(to[place]) &&
                         equal(count_before(from, axis), count_before(to, place)) == Proof::yes;
      const std::optional<Lanes::Ratio> ratio = alike ? ratio_of(from[axis], to[place]) : std::nullopt;
      if (!ratio) continue;
      of_x[axis] = of_result[place] = place;
      if (ratio->operands != 1 || ratio->results != 1) ratios.emplace(place, *ratio);
      next = place + 1;
      break;
    }
  }
  return LaneTable(s, results).operand(op.x, of_x).result(of_result).ratios(std::move(ratios));
}

static std::optional<Lanes> lanes(const op::Transpose& op, const Scope& s, const Types& results) {
  Lanes::OfAxes of_x(op.perm.size());
  for (size_t place = 0; place < op.perm.size(); ++place) of_x[static_cast<size_t>(op.perm[place])] = place;
  return LaneTable(s, results).operand(op.x, of_x).result(every_axis(results[0]));
}

static std::optional<Lanes> lanes(const op::Broadcast& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.x, aligned(s.type(op.x), results[0])).result(every_axis(results[0]));
}

// Slice i along a cut axis is x's slice start + i·step: where that is i, and none is left out, the axis is x's own.
static std::optional<Lanes> lanes(const op::Slice& op, const Scope& s, const Types& results) {
  Lanes::OfAxes of_x = every_axis(results[0]);
  const std::vector<int64_t> axes = from_front(s, op.axes, op.x);
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const bool all = op.starts[i] == 0 && equal(op.stops[i], s.type(op.x).shape[axis]) == Proof::yes &&
                     (op.steps.empty() || op.steps[i] == 1);
    if (!all) of_x[axis] = no_lane;
  }
  return LaneTable(s, results).operand(op.x, of_x).result(every_axis(results[0]));
}

static std::optional<Lanes> lanes(const op::Concatenate& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.operands.front());
  const Lanes::OfAxes others = every_axis_but(results[0], {&axis, 1});
  return LaneTable(s, results).operand(op.operands, others).result(others);
}

static std::optional<Lanes> lanes(const op::Pad& op, const Scope& s, const Types& results) {
  std::vector<int64_t> padded;
  for (size_t axis = 0; axis < op.before.size(); ++axis) {
    if (op.before[axis] != 0 || op.after[axis] != 0) padded.push_back(static_cast<int64_t>(axis));
  }
  return along(s, results, op.x, padded);
}

static std::optional<Lanes> lanes(const op::EnsureShape& op, const Scope& s, const Types& results) {
  return along(s, results, op.x, {});
}

static std::optional<Lanes> lanes(const op::Tile& op, const Scope& s, const Types& results) {
  std::vector<int64_t> repeated;
  for (size_t axis = 0; axis < op.repeats.size(); ++axis) {
    if (op.repeats[axis] != 1) repeated.push_back(static_cast<int64_t>(axis));
  }
  return along(s, results, op.x, repeated);
}

static std::optional<Lanes> lanes(const op::Repeat& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return along(s, results, op.x, {&axis, 1});
}

static std::optional<Lanes> lanes(const op::Flip& op, const Scope& s, const Types& results) {
  return along(s, results, op.x, from_front(s, op.axes, op.x));
}

// The two axes go, the diagonal comes last.
static std::optional<Lanes> lanes(const op::Diagonal& op, const Scope& s, const Types& results) {
  const int64_t axes[] = {from_front(s, op.axis1, op.x), from_front(s, op.axis2, op.x)};
  Lanes::OfAxes of_x = every_axis_but(s.type(op.x), axes);
  size_t next = 0;
  for (auto& lane : of_x) {
    if (lane) lane = next++;
  }
  const int64_t last = results[0].rank() - 1;
  return LaneTable(s, results).operand(op.x, of_x).result(every_axis_but(results[0], {&last, 1}));
}

static std::optional<Lanes> lanes(const op::AsStrided&, const Scope&, const Types&) { return no_lanes; }

static std::optional<Lanes> lanes(const op::Unfold& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.x, {0}).result({0});
}

static std::optional<Lanes> lanes(const op::Fold& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.x, {0}).result({0});
}

INGOT_LANES(shape)

// -------------------------------------------------------------------------------------------------------------- index

// x[:axis] + indices + x[axis+1:]
static std::optional<Lanes> lanes(const op::Take& op, const Scope& s, const Types& results) {
  const auto axis = static_cast<size_t>(from_front(s, op.axis, op.x));
  const size_t indices = s.type(op.indices).shape.size();
  Lanes::OfAxes of_x = every_axis(s.type(op.x)), of_indices = every_axis(s.type(op.indices));
  of_x[axis] = no_lane;
  for (size_t i = axis + 1; i < of_x.size(); ++i) of_x[i] = i - 1 + indices;
  for (size_t i = 0; i < indices; ++i) of_indices[i] = axis + i;
  return LaneTable(s, results).operand(op.x, of_x).operand(op.indices, of_indices).result(every_axis(results[0]));
}

static std::optional<Lanes> lanes(const op::Gather& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return LaneTable(s, results)
      .operand(op.x, every_axis_but(s.type(op.x), {&axis, 1}))
      .operand(op.indices, every_axis(results[0]))
      .result(every_axis(results[0]));
}

static std::optional<Lanes> lanes(const op::Scatter& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  const Lanes::OfAxes others = every_axis_but(results[0], {&axis, 1});
  return LaneTable(s, results)
      .operand(op.x, others)
      .operand(op.indices, others)
      .operand(op.updates, others)
      .result(others);
}

static std::optional<Lanes> lanes(const op::Nonzero&, const Scope&, const Types&) { return no_lanes; }

static std::optional<Lanes> lanes(const op::Item&, const Scope&, const Types&) { return no_lanes; }

static std::optional<Lanes> lanes(const op::DynamicSlice& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes others = every_axis_but(results[0], from_front(s, op.axes, op.x));
  return LaneTable(s, results).operand(op.x, others).operand(op.starts).result(others);
}

static std::optional<Lanes> lanes(const op::DynamicUpdate& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes others = every_axis_but(results[0], from_front(s, op.axes, op.x));
  return LaneTable(s, results).operand(op.x, others).operand(op.update, others).operand(op.starts).result(others);
}

// x [b…, coordinates…, rest…], indices [b…, i…, coordinates] -> [b…, i…, rest…]
static std::optional<Lanes> lanes(const op::GatherNd& op, const Scope& s, const Types& results) {
  const TensorType &x = s.type(op.x), &indices = s.type(op.indices);
  const size_t named = indices.shape.size() - 1, batch = static_cast<size_t>(op.batch_dims),
               rest = batch + static_cast<size_t>(indices.shape.back().literal());
  Lanes::OfAxes of_x(x.shape.size()), of_indices(named);
  for (size_t i = 0; i < batch; ++i) of_x[i] = i;
  for (size_t i = rest; i < of_x.size(); ++i) of_x[i] = named + i - rest;
  for (size_t i = 0; i < named; ++i) of_indices[i] = i;
  return LaneTable(s, results).operand(op.x, of_x).operand(op.indices, of_indices).result(every_axis(results[0]));
}

// x [coordinates…, rest…], indices [i…, coordinates], updates [i…, rest…]
static std::optional<Lanes> lanes(const op::ScatterNd& op, const Scope& s, const Types& results) {
  const Shape& indices = s.type(op.indices).shape;
  const auto coordinates = static_cast<size_t>(indices.back().literal()), named = indices.size() - 1;
  Lanes::OfAxes of_x(results[0].shape.size()), of_updates(s.type(op.updates).shape.size());
  for (size_t i = coordinates; i < of_x.size(); ++i) of_x[i] = of_updates[named + i - coordinates] = i;
  return LaneTable(s, results).operand(op.x, of_x).operand(op.indices).operand(op.updates, of_updates).result(of_x);
}

static std::optional<Lanes> lanes(const op::MaskedScatter&, const Scope&, const Types&) { return no_lanes; }

INGOT_LANES(index)

// ------------------------------------------------------------------------------------------------------------- create

static std::optional<Lanes> lanes(const op::Iota&, const Scope& s, const Types& results) {
  return LaneTable(s, results).result({0});
}

static std::optional<Lanes> lanes(const op::Full&, const Scope& s, const Types& results) {
  return LaneTable(s, results).result(every_axis(results[0]));
}

// An element's number is a function of its place in row-major order.
static std::optional<Lanes> lanes(const op::Random& op, const Scope& s, const Types& results) {
  return LaneTable(s, results).operand(op.key).result(outermost(results[0]));
}

static std::optional<Lanes> lanes(const op::SizeOf&, const Scope& s, const Types& results) {
  return LaneTable(s, results).result({});
}

INGOT_LANES(create)

// -------------------------------------------------------------------------------------- what runs code or has effects

template <class O>
static std::optional<Lanes> lanes(const O&, const Scope&, const Types&)
  requires(O::opcode == Opcode::state_read || O::opcode == Opcode::state_write || O::opcode == Opcode::state_update ||
           O::opcode == Opcode::custom || kOpFacts[static_cast<size_t>(O::opcode)].effects == OpEffects::body)
{
  return no_lanes;
}

INGOT_LANES(state)
INGOT_LANES(control)
INGOT_LANES(custom)

}  // namespace ingot
