// Lanes of arithmetic: elementwise, reductions, sorting, products, transforms, matrices.
#include "passes/rows_rule.h"
#include "program/einsum.h"

namespace ingot {
namespace {

// Operands that broadcast to the result, element by element.
std::optional<Lanes> elementwise(const Scope& s, const Types& results, std::initializer_list<Ref> operands) {
  LaneTable table(s, results);
  for (const Ref ref : operands) table.operand(ref, aligned(s.type(ref), results[0]));
  return table.result(every_axis(results[0]));
}

// Axes go, or become 1.
std::optional<Lanes> reduced(const Scope& s, const Types& results, Ref x, std::span<const int64_t> axes,
                             bool keepdims) {
  Lanes::OfAxes of_x = every_axis_but(s.type(x), axes);
  if (keepdims) return LaneTable(s, results).operand(x, of_x).result(of_x);
  size_t next = 0;
  for (auto& lane : of_x) {
    if (lane) lane = next++;
  }
  return LaneTable(s, results).operand(x, of_x).result(every_axis(results[0]));
}

// The axes before the last `count` of x, which results have in front as well.
std::optional<Lanes> leading(const Scope& s, const Types& results, Ref x, size_t count) {
  Lanes::OfAxes lead = every_axis(s.type(x));
  lead.resize(lead.size() - count);
  LaneTable table(s, results);
  table.operand(x, lead);
  for (size_t i = 0; i < results.size(); ++i) table.result(lead);
  return table;
}

// A factor of a matrix product: leading axes that broadcast, and `lane` along the axis that is not summed.
Lanes::OfAxes factor(const TensorType& type, const TensorType& result, bool last, size_t lane) {
  Lanes::OfAxes lanes = aligned(type, result, 2);
  lanes[lanes.size() - (last ? 1 : 2)] = lane;
  return lanes;
}

}  // namespace

// -------------------------------------------------------------------------------------------------------- elementwise

static std::optional<Lanes> lanes(const op::Unary& op, const Scope& s, const Types& results) {
  return elementwise(s, results, {op.x});
}

static std::optional<Lanes> lanes(const op::Binary& op, const Scope& s, const Types& results) {
  return elementwise(s, results, {op.a, op.b});
}

static std::optional<Lanes> lanes(const op::Compare& op, const Scope& s, const Types& results) {
  return elementwise(s, results, {op.a, op.b});
}

static std::optional<Lanes> lanes(const op::Select& op, const Scope& s, const Types& results) {
  return elementwise(s, results, {op.condition, op.a, op.b});
}

static std::optional<Lanes> lanes(const op::Cast& op, const Scope& s, const Types& results) {
  return elementwise(s, results, {op.x});
}

static std::optional<Lanes> lanes(const op::Bitcast& op, const Scope& s, const Types& results) {
  return elementwise(s, results, {op.x});
}

static std::optional<Lanes> lanes(const op::Complex& op, const Scope& s, const Types& results) {
  return elementwise(s, results, {op.re, op.im});
}

INGOT_LANES(elementwise)

// ------------------------------------------------------------------------------------------------------------- reduce

static std::optional<Lanes> lanes(const op::Reduce& op, const Scope& s, const Types& results) {
  return reduced(s, results, op.x, from_front(s, op.axes, op.x), op.keepdims);
}

static std::optional<Lanes> lanes(const op::ArgReduce& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return reduced(s, results, op.x, {&axis, 1}, op.keepdims);
}

static std::optional<Lanes> lanes(const op::Cumulate& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return along(s, results, op.x, {&axis, 1});
}

INGOT_LANES(reduce)

// --------------------------------------------------------------------------------------------------------------- sort

static std::optional<Lanes> lanes(const op::Sort& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return along(s, results, op.x, {&axis, 1});
}

static std::optional<Lanes> lanes(const op::TopK& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return along(s, results, op.x, {&axis, 1});
}

static std::optional<Lanes> lanes(const op::Partition& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return along(s, results, op.x, {&axis, 1});
}

static std::optional<Lanes> lanes(const op::Median& op, const Scope& s, const Types& results) {
  const int64_t axis = from_front(s, op.axis, op.x);
  return reduced(s, results, op.x, {&axis, 1}, op.keepdims);
}

static std::optional<Lanes> lanes(const op::SearchSorted& op, const Scope& s, const Types& results) {
  const Lanes::OfAxes all = every_axis(results[0]);
  return LaneTable(s, results).operand(op.sorted).operand(op.values, all).result(all);
}

static std::optional<Lanes> lanes(const op::Unique&, const Scope&, const Types&) { return no_lanes; }

INGOT_LANES(sort)

// ------------------------------------------------------------------------------------------------------------- matmul

static std::optional<Lanes> lanes(const op::Matmul& op, const Scope& s, const Types& results) {
  const size_t rank = results[0].shape.size();
  return LaneTable(s, results)
      .operand(op.a, factor(s.type(op.a), results[0], op.transpose_a, rank - 2))
      .operand(op.b, factor(s.type(op.b), results[0], !op.transpose_b, rank - 1))
      .result(every_axis(results[0]));
}

// [batch…, free of a…, free of b…]
static std::optional<Lanes> lanes(const op::DotGeneral& op, const Scope& s, const Types& results) {
  size_t next = op.batch_a.size();
  const auto of_factor = [&](Ref ref, std::span<const int64_t> batch, std::span<const int64_t> contract) {
    Lanes::OfAxes lanes = every_axis_but(s.type(ref), from_front(s, contract, ref));
    const std::vector<int64_t> paired = from_front(s, batch, ref);
    for (size_t axis = 0; axis < lanes.size(); ++axis) {
      const auto pair = std::ranges::find(paired, static_cast<int64_t>(axis));
      if (lanes[axis]) lanes[axis] = pair == paired.end() ? next++ : static_cast<size_t>(pair - paired.begin());
    }
    return lanes;
  };
  LaneTable table(s, results);
  table.operand(op.a, of_factor(op.a, op.batch_a, op.contract_a));
  table.operand(op.b, of_factor(op.b, op.batch_b, op.contract_b));
  return table.result(every_axis(results[0]));
}

// Letters are lanes, but for those that are summed and those of a diagonal.
static std::optional<Lanes> lanes(const op::Einsum& op, const Scope& s, const Types& results) {
  std::vector<size_t> ranks;
  for (const Ref ref : op.operands) ranks.push_back(s.type(ref).shape.size());
  const Equation equation = parse_equation(op.equation, ranks);
  const auto lane_of = [&](Label label) -> std::optional<size_t> {
    const auto place = std::ranges::find(equation.result, label);
    const bool diagonal = std::ranges::any_of(
        equation.operands, [&](const Labels& labels) { return std::ranges::count(labels, label) > 1; });
    if (place == equation.result.end() || diagonal) return no_lane;
    return static_cast<size_t>(place - equation.result.begin());
  };
  LaneTable table(s, results);
  for (size_t i = 0; i < op.operands.size(); ++i) {
    const Shape& shape = s.type(op.operands[i]).shape;
    Lanes::OfAxes lanes(shape.size());
    for (size_t axis = 0; axis < lanes.size(); ++axis) {
      const std::optional<size_t> lane = lane_of(equation.operands[i][axis]);
      const bool stretches = lane && shape[axis] == 1 && results[0].shape[*lane] != 1;
      if (!stretches) lanes[axis] = lane;
    }
    table.operand(op.operands[i], lanes);
  }
  Lanes::OfAxes of_result;
  for (const Label label : equation.result) of_result.push_back(lane_of(label));
  return table.result(of_result);
}

// x [M, K], w [G, K, N] or [G, N, K], group [M] -> [M, N]
static std::optional<Lanes> lanes(const op::GroupedMatmul& op, const Scope& s, const Types& results) {
  const bool transposed = op.transpose_w || s.type(op.w).dtype == DType::packed;
  return LaneTable(s, results)
      .operand(op.x, {0})
      .operand(op.w, transposed ? Lanes::OfAxes{no_lane, 1} : Lanes::OfAxes{no_lane, no_lane, 1})
      .operand(op.group, {0})
      .result({0, 1});
}

// a_zero is a scalar, [M] or [..., M, 1]; b_zero a scalar, [N] or [..., 1, N].
static std::optional<Lanes> lanes(const op::IntegerMatmul& op, const Scope& s, const Types& results) {
  const size_t rank = results[0].shape.size(), rows = rank - 2, columns = rank - 1;
  const auto of_zero = [&](const std::optional<Ref>& ref, size_t axis_from_end, size_t lane) {
    if (!ref) return Lanes::OfAxes{};
    const TensorType& zero = s.type(*ref);
    const size_t own = zero.shape.size();
    if (own == 1) axis_from_end = 1;
    Lanes::OfAxes lanes = own < 2 ? Lanes::OfAxes(own) : aligned(zero, results[0], 2);
    if (own < axis_from_end || own == 0) return lanes;
    const bool stretches = zero.shape[own - axis_from_end] == 1 && results[0].shape[lane] != 1;
    if (!stretches) lanes[own - axis_from_end] = lane;
    return lanes;
  };
  return LaneTable(s, results)
      .operand(op.a, factor(s.type(op.a), results[0], false, rows))
      .operand(op.b, factor(s.type(op.b), results[0], true, columns))
      .operand(op.a_zero, of_zero(op.a_zero, 2, rows))
      .operand(op.b_zero, of_zero(op.b_zero, 1, columns))
      .result(every_axis(results[0]));
}

INGOT_LANES(matmul)

// ---------------------------------------------------------------------------------------------------------------- fft

static std::optional<Lanes> lanes(const op::Fft& op, const Scope& s, const Types& results) {
  return along(s, results, op.x, from_front(s, op.axes, op.x));
}

static std::optional<Lanes> lanes(const op::Rfft& op, const Scope& s, const Types& results) {
  return along(s, results, op.x, from_front(s, op.axes, op.x));
}

static std::optional<Lanes> lanes(const op::Irfft& op, const Scope& s, const Types& results) {
  return along(s, results, op.x, from_front(s, op.axes, op.x));
}

// [..., frames, bins]
static std::optional<Lanes> lanes(const op::Stft& op, const Scope& s, const Types& results) {
  Lanes::OfAxes lead = every_axis(s.type(op.x));
  lead.pop_back();
  return LaneTable(s, results).operand(op.x, lead).operand(op.window).result(lead);
}

INGOT_LANES(fft)

// ------------------------------------------------------------------------------------------------------------- linalg

// Matrices of a stack, each by itself.
template <class O>
  requires requires(const O& op) { op.x; }
static std::optional<Lanes> of_matrices(const O& op, const Scope& s, const Types& results) {
  return leading(s, results, op.x, 2);
}

// Columns of b, each by itself, as well.
template <class O>
  requires requires(const O& op) { op.b; }
static std::optional<Lanes> of_matrices(const O& op, const Scope& s, const Types& results) {
  Lanes::OfAxes of_result = every_axis(results[0]);
  of_result.end()[-2] = no_lane;
  return LaneTable(s, results)
      .operand(op.a, aligned(s.type(op.a), results[0], 2))
      .operand(op.b, factor(s.type(op.b), results[0], true, results[0].shape.size() - 1))
      .result(of_result);
}

template <class O>
static std::optional<Lanes> lanes(const O& op, const Scope& s, const Types& results)
  requires(kOpFacts[static_cast<size_t>(O::opcode)].family == "linalg")
{
  return of_matrices(op, s, results);
}

INGOT_LANES(linalg)

}  // namespace ingot
