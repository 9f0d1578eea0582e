// What the rules about lanes are written with; passes/rows.h says what lanes are.
//
// The rule of an op is a function `lanes(const op::X&, const Scope&, const Types& results)` in a passes/rows_*.cpp;
// INGOT_LANES(family) at the end of that file binds the rules of a family, so a primitive op without one does not
// compile. Lanes are numbered by the axes of the first result, unless a rule says otherwise.
//
// Threads    pure functions. Failure  as the checks of infer.h, which never throw for ops that passed inference.
#pragma once

#include <algorithm>

#include "gen/families.h"
#include "passes/rows.h"
#include "program/bind.h"

namespace ingot {

inline constexpr std::nullopt_t no_lane = std::nullopt;
// Of an op that nothing is known of.
inline constexpr std::nullopt_t no_lanes = std::nullopt;

// Every axis, in order.
inline Lanes::OfAxes every_axis(const TensorType& type) {
  Lanes::OfAxes lanes;
  for (size_t axis = 0; axis < type.shape.size(); ++axis) lanes.emplace_back(axis);
  return lanes;
}

// Every axis but some, which are counted from the front.
inline Lanes::OfAxes every_axis_but(const TensorType& type, std::span<const int64_t> except) {
  Lanes::OfAxes lanes = every_axis(type);
  for (const int64_t axis : except) lanes[static_cast<size_t>(axis)] = no_lane;
  return lanes;
}

// All but the last `count` axes, aligned at the end with those of a result; an axis of size 1 that stretches is none.
inline Lanes::OfAxes aligned(const TensorType& type, const TensorType& result, size_t count = 0) {
  const size_t rank = type.shape.size(), missing = result.shape.size() - rank;
  Lanes::OfAxes lanes(rank);
  for (size_t axis = 0; axis + count < rank; ++axis) {
    const bool stretches = type.shape[axis] == 1 && result.shape[axis + missing] != 1;
    if (!stretches) lanes[axis] = axis + missing;
  }
  return lanes;
}

// Axes such that whatever stands before them has size 1: what counts elements in row-major order does not ask for their
// size. Lanes of `type` are those of these axes alone.
inline Lanes::OfAxes outermost(const TensorType& type) {
  Lanes::OfAxes lanes(type.shape.size());
  for (size_t axis = 0; axis < lanes.size(); ++axis) {
    lanes[axis] = axis;
    if (type.shape[axis] != 1) break;
  }
  return lanes;
}

// The lanes of an op, operand by operand in the order of the schema. Lists are those of the first axes; the others have
// none.
class LaneTable {
 public:
  LaneTable(const Scope& scope, const Types& results) : scope_(scope), results_(results) {}

  LaneTable& operand(Ref ref, Lanes::OfAxes lanes = {}) {
    lanes.resize(scope_.type(ref).shape.size());
    lanes_.operands.push_back(std::move(lanes));
    return *this;
  }
  LaneTable& operand(const std::optional<Ref>& ref, const Lanes::OfAxes& lanes = {}) {
    return ref ? operand(*ref, lanes) : *this;
  }
  LaneTable& operand(const std::vector<Ref>& refs, const Lanes::OfAxes& lanes = {}) {
    for (const Ref ref : refs) operand(ref, lanes);
    return *this;
  }
  LaneTable& result(Lanes::OfAxes lanes) {
    lanes.resize(results_[lanes_.results.size()].shape.size());
    lanes_.results.push_back(std::move(lanes));
    return *this;
  }
  LaneTable& ratios(std::map<size_t, Lanes::Ratio> ratios) {
    lanes_.ratios = std::move(ratios);
    return *this;
  }

  operator std::optional<Lanes>() const { return lanes_; }  // NOLINT(google-explicit-constructor): how a rule ends

 private:
  const Scope& scope_;
  const Types& results_;
  Lanes lanes_;
};

// Axes of an operand, counted from the front.
inline int64_t from_front(const Scope& s, int64_t axis, Ref x) {
  return normalize_axis(s, "axis", axis, s.type(x).rank());
}
inline std::vector<int64_t> from_front(const Scope& s, std::span<const int64_t> axes, Ref x) {
  return normalize_axes(s, "axes", axes, s.type(x).rank());
}

// x has the axes of all results, and some are treated as wholes.
inline std::optional<Lanes> along(const Scope& s, const Types& results, Ref x, std::span<const int64_t> axes) {
  LaneTable table(s, results);
  table.operand(x, every_axis_but(results[0], axes));
  for (const TensorType& result : results) table.result(every_axis_but(result, axes));
  return table;
}

// Defined for every op by INGOT_LANES.
template <class O>
std::optional<Lanes> lanes_of(const O& op, const Scope& scope, const Types& results);

// Composites that their decomposition explains.
template <class O>
  requires(kOpFacts[static_cast<size_t>(O::opcode)].composite)
std::optional<Lanes> lanes(const O&, const Scope&, const Types&) {
  return std::nullopt;
}

#define INGOT_BIND_LANES(O)                                                                           \
  template <>                                                                                         \
  std::optional<Lanes> lanes_of<op::O>(const op::O& each, const Scope& scope, const Types& results) { \
    INGOT_CALL(O, std::optional<Lanes>, lanes(op, scope, results),                                    \
               "lanes(const op::" #O "&, const Scope&, const Types&)");                               \
  }
#define INGOT_LANES(family) INGOT_OPS_OF_##family(INGOT_BIND_LANES)

}  // namespace ingot
