// Writes at indices that follow one another, as the update of a box, which engines do in place.
//
// Negative indices of a scatter count from the end and negative starts do not, so a start that may be negative is
// counted from the front first. That says the same for one index alone: of several some may be negative and some not.
#include <algorithm>

#include "passes/recognize.h"

namespace ingot {
namespace {

int64_t from_front(int64_t axis, size_t rank) { return axis < 0 ? axis + static_cast<int64_t>(rank) : axis; }

const auto is_one = [](const Dim& size) { return size == Dim(1); };
const auto is_not_empty = [](const Dim& size) { return less_equal(1, size) == Proof::yes; };

// first, first + 1, … along one axis, the same along all others; or one number, `start`, in front of them.
struct Run {
  std::optional<Ref> start;
  int64_t first = 0;
};

std::optional<Run> run_along(const Site& site, Ref ref, size_t axis);

std::optional<Run> moved_run(const Site& site, const op::Broadcast& op, const Shape& shape, size_t axis) {
  const Shape& from = site.shape(op.x);
  const size_t added = shape.size() - from.size();
  if (is_one(shape[axis]) && std::ranges::all_of(from, is_one)) return Run{op.x};
  return axis >= added && from[axis - added] == shape[axis] ? run_along(site, op.x, axis - added) : std::nullopt;
}

// All other axes have one element, before and after.
std::optional<Run> moved_run(const Site& site, const op::Reshape& op, const Shape& shape, size_t axis) {
  const Shape& from = site.shape(op.x);
  const auto place = std::ranges::find(from, shape[axis]);
  const auto others = [](const Shape& all) { return std::ranges::count_if(all, is_one) + 1; };
  if (place == from.end() || others(from) != std::ssize(from) || others(shape) != std::ssize(shape)) return {};
  return run_along(site, op.x, static_cast<size_t>(place - from.begin()));
}

// Counted in i64, where the sum of a start and a place cannot come round to a valid index.
std::optional<Run> shifted_run(const Site& site, const op::Binary& op, Ref ref, size_t axis) {
  if (op.fn != BinaryFn::add || site.dtype(ref) != DType::i64) return {};
  for (const auto& [counted, start] : {std::pair(op.a, op.b), std::pair(op.b, op.a)}) {
    if (site.type(counted) != site.type(ref) || !std::ranges::all_of(site.shape(start), is_one)) continue;
    const auto run = run_along(site, counted, axis);
    if (run && !run->start && run->first == 0) return Run{start};
  }
  return {};
}

std::optional<Run> run_along(const Site& site, Ref ref, size_t axis) {
  const Shape& shape = site.shape(ref);
  if (std::ranges::all_of(shape, is_one)) return Run{ref};
  if (const auto* iota = site.made_by<op::Iota>(ref)) {
    const bool by_one = iota->dtype == DType::i64 && iota->step.value_or(1) == Scalar(1);
    return by_one ? std::optional(Run{{}, iota->start.value_or(0).as_int()}) : std::nullopt;
  }
  if (const auto* broadcast = site.made_by<op::Broadcast>(ref)) return moved_run(site, *broadcast, shape, axis);
  if (const auto* reshape = site.made_by<op::Reshape>(ref)) return moved_run(site, *reshape, shape, axis);
  const auto* sum = site.made_by<op::Binary>(ref);
  return sum ? shifted_run(site, *sum, ref, axis) : std::nullopt;
}

bool never_negative(const Site& site, Ref ref) {
  if (const auto number = site.real(ref)) return *number >= 0;
  if (const auto* reshape = site.made_by<op::Reshape>(ref)) return never_negative(site, reshape->x);
  if (const op::Binary* larger = site.binary(BinaryFn::max, ref)) {
    return never_negative(site, larger->a) || never_negative(site, larger->b);
  }
  return site.made_by<op::SizeOf>(ref) != nullptr;
}

// Where the run begins, 0 or more unless an index is out of range; none where that is not known.
std::optional<Var> start_of(const Site& site, const Run& run, const Dim& length, const Dim& size) {
  GraphBuilder& graph = site.to();
  if (!run.start) return run.first >= 0 ? std::optional(graph.scalar(run.first, DType::i64)) : std::nullopt;
  const bool from_end = !never_negative(site, *run.start);
  if (from_end && (!is_one(length) || kind(site.dtype(*run.start)) != Kind::signed_int)) return {};
  const Var given = site(*run.start), start = given.shape().empty() ? given : graph.reshape(given, {});
  if (!from_end) return start;
  const Var wide = graph.cast(start, DType::i64);
  const Var negative = graph.lt(wide, graph.scalar(0, DType::i64)), counted = wide + graph.size_of(size);
  return graph.select(negative, counted, wide);
}

// 0 where an axis that may be empty is: without indices none is out of range.
Var unless_empty(const Site& site, Var start, const Shape& indices) {
  for (const Dim& size : indices) {
    if (!is_not_empty(size)) start = start * site.to().size_of(min(size, 1));
  }
  return start;
}

template <class O>
std::optional<Var> update_of(const O& op, const Site& site, size_t axis) {
  const Shape& indices = site.shape(op.indices);
  if (op.fn != ScatterFn::set || op.mode != IndexMode::error || !is_not_empty(indices[axis])) return {};
  const auto run = run_along(site, op.indices, axis);
  const auto start = run ? start_of(site, *run, indices[axis], site.shape(op.x)[axis]) : std::nullopt;
  if (!start) return {};
  const Var fits = unless_empty(site, *start, indices);
  return site.to().dynamic_update(site(op.x), site(op.updates), {fits}, {static_cast<int64_t>(axis)});
}

std::optional<Var> update_of_scatter(const op::Scatter& op, const Site& site) {
  return update_of(op, site, static_cast<size_t>(from_front(op.axis, site.shape(op.x).size())));
}

// One coordinate for each row.
std::optional<Var> update_of_scatter_nd(const op::ScatterNd& op, const Site& site) {
  const Shape& indices = site.shape(op.indices);
  return indices.size() == 2 && is_one(indices[1]) ? update_of(op, site, 0) : std::nullopt;
}

// Exporters bring the axis to the front and back.
std::optional<Var> update_between_transposes(const op::Transpose& op, const Site& site) {
  const auto* update = site.made_by<op::DynamicUpdate>(op.x);
  const auto* inner = update && site.used_once(op.x) ? site.made_by<op::Transpose>(update->x) : nullptr;
  if (!inner) return {};
  const size_t rank = op.perm.size();
  const auto moved = [&](int64_t axis) {  // by both transposes
    return from_front(inner->perm[static_cast<size_t>(from_front(axis, rank))], rank);
  };
  for (size_t i = 0; i < rank; ++i) {
    if (moved(op.perm[i]) != static_cast<int64_t>(i)) return {};
  }
  std::vector<int64_t> axes;
  for (const int64_t axis : update->axes) axes.push_back(moved(axis));
  const Var back = site.to().transpose(site(update->update), op.perm);
  return site.to().dynamic_update(site(inner->x), back, site(update->starts), axes, {.mode = update->mode});
}

const Rule rules[] = {
    rule<update_of_scatter>("update_of_scatter", "scatter_set at start, start + 1, … along an axis → dynamic_update"),
    rule<update_of_scatter_nd>("update_of_scatter_nd", "scatter_nd_set of rows start, start + 1, … → dynamic_update"),
    rule<update_between_transposes>("update_between_transposes",
                                    "transpose of dynamic_update of the transposed back → dynamic_update"),
};

}  // namespace

std::span<const Rule> update_rules() { return rules; }

}  // namespace ingot
