// Control flow: graphs run by graphs, in the order of the trips. Conditions are read, so only what is asked for runs.
#include <utility>

#include "engines/mlx/lowering.h"
#include "engines/mlx/parts.h"

namespace ingot::mlx_engine {
namespace {

using Arrays = std::vector<array>;

// A lazy graph of this many trips is handed over to the device before it grows further.
constexpr int64_t trips_at_once = 32;

Arrays joined(Arrays first, const Arrays& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool is_true(Frame& frame, const array& predicate) { return frame.read(predicate, DType::bool_).as<bool>()[0]; }

// x[i]
array slice(const array& x, int64_t i, mx::Stream s) {
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start[0] = static_cast<int>(i);
  stop[0] = start[0] + 1;
  return mx::squeeze(part_of(x, start, stop, mx::Shape(x.ndim(), 1), s), 0, s);
}

// Slices in their order, along a new first axis.
array stacked(const std::vector<std::optional<array>>& slices, Frame& frame, uint32_t result) {
  if (slices.empty()) return frame.result_zeros(result);
  Arrays all;
  for (const auto& one : slices) all.push_back(*one);
  return mx::stack(all, 0, frame.stream());
}

bool reads_values(const op::If&) { return true; }
Arrays emit(const op::If& op, Frame& frame) {
  const bool condition = is_true(frame, frame.in(op.condition));
  return frame.call(condition ? op.on_true : op.on_false, frame.in(op.captures));
}

// The condition is not asked again after the last trip that max_trips allows.
bool reads_values(const op::While&) { return true; }
Arrays emit(const op::While& op, Frame& frame) {
  Arrays carry = frame.in(op.carry);
  const Arrays captures = frame.in(op.captures);
  const Frame::Mark before = frame.mark();
  for (int64_t trips = 0; !op.max_trips || trips < *op.max_trips; ++trips) {
    Arrays passed = joined(carry, captures);
    if (!is_true(frame, frame.call(op.condition, passed)[0])) break;
    frame.spend(1);
    carry.clear();
    carry = frame.call(op.body, std::move(passed));
    if (trips % trips_at_once == trips_at_once - 1) frame.start(carry, before);
  }
  return carry;
}

// Slice i of xs makes slice i of ys, in whichever order.
bool reads_values(const op::Scan&) { return true; }
Arrays emit(const op::Scan& op, Frame& frame) {
  Arrays carry = frame.in(op.carry);
  const Arrays xs = frame.in(op.xs), captures = frame.in(op.captures);
  const int64_t length = frame.size(op.length);
  const auto carries = static_cast<uint32_t>(carry.size());
  std::vector<std::vector<std::optional<array>>> ys(frame.result_count() - carries);
  frame.hold_slices(op);
  for (auto& slices : ys) slices.resize(static_cast<size_t>(length));
  const Frame::Mark before = frame.mark();
  for (int64_t trip = 0; trip < length; ++trip) {
    const int64_t i = op.reverse ? length - 1 - trip : trip;
    frame.spend(1);
    Arrays passed = std::move(carry);
    for (const array& x : xs) passed.push_back(slice(x, i, frame.stream()));
    Arrays results = frame.call(op.body, joined(std::move(passed), captures));
    if (trip % trips_at_once == trips_at_once - 1) frame.start(results, before);
    for (size_t y = 0; y < ys.size(); ++y) ys[y][static_cast<size_t>(i)] = results[carries + y];
    results.erase(results.begin() + carries, results.end());
    carry = std::move(results);
  }
  for (size_t y = 0; y < ys.size(); ++y) carry.push_back(stacked(ys[y], frame, carries + static_cast<uint32_t>(y)));
  return carry;
}

Arrays emit(const op::Call& op, Frame& frame) { return frame.call(op.graph, frame.in(op.operands)); }

}  // namespace

INGOT_LOWERINGS(control)

}  // namespace ingot::mlx_engine
