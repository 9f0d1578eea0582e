// Rotary embeddings: as x·cos + turned(x)·sin with tables that say each angle twice, or pair by pair as x₁·cos - x₂·sin
// and x₂·cos + x₁·sin.
#include "passes/narrow.h"
#include "passes/pattern.h"
#include "passes/recognize.h"

namespace ingot {
namespace {

bool is_last(const Site& site, int64_t axis, Ref ref) { return axis == -1 || axis == site.type(ref).rank() - 1; }

// Part of the last axis of x.
struct Part {
  Ref x;
  Dim start, stop;
};
std::optional<Part> part(const Site& site, Ref ref, int64_t step = 1) {
  const auto* slice = site.made_by<op::Slice>(ref);
  if (!slice || slice->axes.size() != 1 || !is_last(site, slice->axes[0], ref)) return {};
  if ((slice->steps.empty() ? 1 : slice->steps[0]) != step) return {};
  return Part{slice->x, slice->starts[0], slice->stops[0]};
}

// The part of x that two halves of it make, one after the other.
std::optional<Part> part_of_halves(const Site& site, Ref x1, Ref x2) {
  const auto first = part(site, x1), second = part(site, x2);
  if (!first || !second || first->x != second->x || first->stop != second->start) return {};
  if (first->stop - first->start != second->stop - second->start) return {};
  return Part{first->x, first->start, second->stop};
}

// The same of every second element each.
std::optional<Part> part_of_neighbours(const Site& site, Ref x1, Ref x2) {
  const auto even = part(site, x1, 2), odd = part(site, x2, 2);
  if (!even || !odd || even->x != odd->x || odd->start != even->start + 1) return {};
  if (site.type(x1) != site.type(x2)) return {};
  return Part{even->x, even->start, even->start + site.shape(x1).back() * 2};
}

Var taken(const Site& site, const Part& part) {
  if (part.start == Dim(0) && part.stop == site.shape(part.x).back()) return site(part.x);
  return site.to().slice(site(part.x), {-1}, {part.start}, {part.stop});
}

bool along_last(const Site& site, const op::Concatenate* op, Ref ref) {
  return op && op->operands.size() == 2 && is_last(site, op->axis, ref);
}

// ----------------------------------------------------------------------------------------------------- x and x turned

// A value with a last axis of its own.
std::optional<Ref> before_unit_axis(const Site& site, Ref ref) {
  const auto* reshape = site.made_by<op::Reshape>(ref);
  if (!reshape) return {};
  Shape shape = site.shape(reshape->x);
  shape.emplace_back(1);
  return shape == site.shape(ref) ? std::optional(reshape->x) : std::nullopt;
}

// The part of x that concatenate(-x₂, x₁) turns.
std::optional<Part> turned_halves(const Site& site, Ref ref) {
  const auto* joined = site.made_by<op::Concatenate>(ref);
  if (!along_last(site, joined, ref)) return {};
  const op::Unary* negated = site.unary(UnaryFn::neg, joined->operands[0]);
  return negated ? part_of_halves(site, joined->operands[1], negated->x) : std::nullopt;
}

// The same of neighbours, side by side.
std::optional<Part> turned_neighbours(const Site& site, Ref ref) {
  const auto* rows = site.made_by<op::Reshape>(ref);
  const auto* pairs = rows ? site.made_by<op::Concatenate>(rows->x) : nullptr;
  if (!pairs || !along_last(site, pairs, rows->x)) return {};
  const auto negative = before_unit_axis(site, pairs->operands[0]), x1 = before_unit_axis(site, pairs->operands[1]);
  const op::Unary* negated = negative ? site.unary(UnaryFn::neg, *negative) : nullptr;
  const auto whole = negated && x1 ? part_of_neighbours(site, *x1, negated->x) : std::nullopt;
  if (!whole) return {};
  Shape shape = site.shape(*x1);
  shape.back() = shape.back() * 2;
  return shape == site.shape(ref) ? whole : std::nullopt;
}

// Whether the value is that part, or all of x where the part is.
bool is_part(const Site& site, Ref ref, const Part& wanted) {
  if (ref == wanted.x) return wanted.start == Dim(0) && wanted.stop == site.shape(ref).back();
  const auto found = part(site, ref);
  return found && found->x == wanted.x && found->start == wanted.start && found->stop == wanted.stop;
}

bool joins_itself(const Site& site, Ref ref) {
  const auto* joined = site.made_by<op::Concatenate>(ref);
  return along_last(site, joined, ref) && joined->operands[0] == joined->operands[1];
}

// Whether the last axis is one element twice.
bool is_one_twice(const Site& site, Ref ref) {
  if (site.shape(ref).size() < 2 || site.shape(ref).back() != Dim(2)) return false;
  const auto is_one = [&](Ref x) { return !site.shape(x).empty() && site.shape(x).back() == Dim(1); };
  if (const auto* broadcast = site.made_by<op::Broadcast>(ref)) return is_one(broadcast->x);
  if (const auto* tile = site.made_by<op::Tile>(ref)) return is_one(tile->x);
  return joins_itself(site, ref);
}

// Whether both halves of the last axis are the same, or both of neighbours: concatenate(f, f), each of f repeated, and
// functions of these by element.
bool repeats(const Site& site, Ref ref, bool interleaved, int depth = 8) {
  if (depth == 0) return false;
  if (site.number(ref)) return true;
  const auto behind = [&](Ref x) { return repeats(site, x, interleaved, depth - 1); };
  const auto same_rows = [&](Ref x) {
    const Shape &from = site.shape(x), &to = site.shape(ref);
    return !from.empty() && !to.empty() && from.back() == to.back() && behind(x);
  };
  if (const auto* unary = site.made_by<op::Unary>(ref)) return behind(unary->x);
  if (const auto* cast = site.made_by<op::Cast>(ref)) return behind(cast->x);
  if (const auto* broadcast = site.made_by<op::Broadcast>(ref)) return same_rows(broadcast->x);
  if (const auto* reshape = site.made_by<op::Reshape>(ref)) {
    const bool pairs = interleaved && is_one_twice(site, reshape->x) && !site.shape(ref).empty();
    return same_rows(reshape->x) || (pairs && site.shape(ref).back() == site.shape(reshape->x).end()[-2] * 2);
  }
  if (const auto* binary = site.made_by<op::Binary>(ref)) {
    const bool scaled = site.number(binary->b).has_value() && site.shape(binary->a) == site.shape(ref);
    return scaled && behind(binary->a);
  }
  if (!interleaved) return joins_itself(site, ref);
  const auto* repeat = site.made_by<op::Repeat>(ref);
  return repeat && repeat->count == Dim(2) && is_last(site, repeat->axis, ref);
}

// x and its table, where the value is their product and x that part.
struct Factors {
  Ref x, table;
};
template <class IsX>
std::optional<Factors> factors(const Site& site, Ref ref, const IsX& is_x) {
  const op::Binary* product = site.binary(BinaryFn::mul, ref);
  if (product && is_x(product->a)) return Factors{product->a, product->b};
  if (product && is_x(product->b)) return Factors{product->b, product->a};
  return {};
}

// A table that says each angle of a row twice.
bool is_table(const Site& site, Ref ref, const Dim& last, bool interleaved) {
  return !site.shape(ref).empty() && site.shape(ref).back() == last && repeats(site, ref, interleaved);
}

// x·cos + turned(x)·sin, given the two products.
std::optional<Var> rotary(const Site& site, Ref straight, Ref turned, bool interleaved) {
  std::optional<Part> turns;
  const auto with_sin = factors(site, turned, [&](Ref ref) {
    turns = interleaved ? turned_neighbours(site, ref) : turned_halves(site, ref);
    return turns.has_value();
  });
  if (!with_sin) return {};
  const auto with_cos = factors(site, straight, [&](Ref ref) { return is_part(site, ref, *turns); });
  if (!with_cos || site.type(with_cos->x) != site.result_type()) return {};
  const Dim& last = site.shape(with_cos->x).back();
  for (const Ref table : {with_cos->table, with_sin->table}) {
    if (!is_table(site, table, last, interleaved)) return {};
  }
  const auto said_once = [&](Ref ref) {
    if (interleaved) return site.to().slice(site(ref), {-1}, {0}, {last}, {.steps = {2}});
    return site.to().slice(site(ref), {-1}, {0}, {floor_div(last, 2)});
  };
  const Var cos = said_once(with_cos->table), sin = said_once(with_sin->table);
  return site.to().rope_table(site(with_cos->x), cos, sin, {.interleaved = interleaved});
}

template <bool interleaved>
std::optional<Var> rope_table(const op::Binary& op, const Site& site) {
  if (op.fn != BinaryFn::add) return {};
  if (const auto found = rotary(site, op.a, op.b, interleaved)) return found;
  return rotary(site, op.b, op.a, interleaved);
}

// -------------------------------------------------------------------------------------------------------- pair by pair

bool has_width(const Site& site, Ref table, const Dim& width) {
  return !site.shape(table).empty() && site.shape(table).back() == width;
}

// x with its pairs (x₁, x₂) turned, where the two values are x₁·cos - x₂·sin and x₂·cos + x₁·sin. As products of complex
// numbers these do not say which factor is x: it is the one that `paired` finds x₁ and x₂ to be taken from, in the new
// graph.
template <class Paired>
std::optional<Var> turned_pairs(const Site& site, Ref first, Ref second, bool interleaved, const Paired& paired) {
  enum { x1, x2, cos, sin };
  static const Pattern less =
      either(any(x1) * any(cos) - any(x2) * any(sin), any(x1) * any(cos) + unary(UnaryFn::neg, any(x2)) * any(sin));
  static const Pattern more = any(x2) * any(cos) + any(x1) * any(sin);
  Found found;
  std::optional<Var> x;
  const auto is_x = [&] {
    const TensorType& type = site.type(found[x1]);
    if (type.shape.empty() || type != site.type(first) || type != site.type(second)) return false;
    const Dim& width = type.shape.back();
    if (!has_width(site, found[cos], width) || !has_width(site, found[sin], width)) return false;
    x = paired(site, found[x1], found[x2]);
    return x.has_value();
  };
  if (!less(site, first, found, [&] { return more(site, second, found, is_x); })) return {};
  return site.to().rope_table(*x, site(found[cos]), site(found[sin]), {.interleaved = interleaved});
}

std::optional<Var> of_halves(const Site& site, Ref x1, Ref x2) {
  const auto whole = part_of_halves(site, x1, x2);
  return whole ? std::optional(taken(site, *whole)) : std::nullopt;
}

// Beside others: what is not turned may stand before and behind.
std::optional<Var> rope_of_halves(const op::Concatenate& op, const Site& site) {
  if (!is_last(site, op.axis, site.result())) return {};
  for (size_t i = 0; i + 1 < op.operands.size(); ++i) {
    const auto turned = turned_pairs(site, op.operands[i], op.operands[i + 1], false, of_halves);
    if (!turned) continue;
    if (op.operands.size() == 2) return turned;
    std::vector<Var> operands = site(op.operands);
    operands[i] = *turned;
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return site.to().concatenate(operands, {.axis = op.axis});
  }
  return {};
}

// Pairs along the last axis, where the value is number i of each.
std::optional<Ref> pairs_behind(const Site& site, Ref ref, int64_t i) {
  std::optional<Ref> pairs;
  if (const auto* reshape = site.made_by<op::Reshape>(ref)) {
    const auto one = part(site, reshape->x);
    if (one && one->start == Dim(i) && one->stop == Dim(i + 1)) pairs = one->x;
  } else if (const auto* take = site.made_by<op::Take>(ref)) {
    const bool one = site.shape(take->indices).empty() && site.is_number(take->indices, static_cast<double>(i));
    if (one && is_last(site, take->axis, take->x)) pairs = take->x;
  }
  if (!pairs) return {};
  Shape shape = site.shape(ref);
  shape.emplace_back(2);
  return shape == site.shape(*pairs) ? pairs : std::nullopt;
}

std::optional<Var> of_neighbours(const Site& site, Ref x1, Ref x2) {
  if (const auto whole = part_of_neighbours(site, x1, x2)) return taken(site, *whole);
  const auto pairs = pairs_behind(site, x1, 0);
  if (!pairs || pairs != pairs_behind(site, x2, 1)) return {};
  Shape shape = site.shape(x1);
  shape.back() = shape.back() * 2;
  return site.to().reshape(site(*pairs), shape);
}

std::optional<Var> rope_interleaved(const op::Concatenate& op, const Site& site) {
  if (!along_last(site, &op, site.result())) return {};
  const auto first = before_unit_axis(site, op.operands[0]), second = before_unit_axis(site, op.operands[1]);
  if (!first || !second) return {};
  const auto turned = turned_pairs(site, *first, *second, true, of_neighbours);
  return turned ? std::optional(site.to().reshape(*turned, site.result_type().shape)) : std::nullopt;
}

// rope_table leaves what its tables do not reach.
std::optional<Var> rope_of_part(const op::Concatenate& op, const Site& site) {
  if (!along_last(site, &op, site.result()) || !site.used_once(op.operands[0])) return {};
  const auto* rope = site.made_by<op::RopeTable>(op.operands[0]);
  const auto turned = rope ? part(site, rope->x) : std::nullopt, rest = part(site, op.operands[1]);
  if (!turned || !rest || turned->x != rest->x || turned->start != Dim(0) || turned->stop != rest->start) return {};
  if (rest->stop != site.shape(rest->x).back()) return {};
  return site.to().rope_table(site(rest->x), site(rope->cos), site(rope->sin), {.interleaved = rope->interleaved});
}

const Rule rules[] = {
    rule<rope_table<false>>("rope_table", "x·cos + concatenate(-x₂, x₁)·sin → rope_table"),
    rule<rope_table<true>>("rope_table_interleaved", "the same of neighbours, side by side → rope_table, interleaved"),
    rule<rope_of_halves>("rope_of_halves", "concatenate(x₁·cos - x₂·sin, x₂·cos + x₁·sin) of halves → rope_table"),
    rule<rope_interleaved>("rope_interleaved", "the same of neighbours, side by side → rope_table, interleaved"),
    rule<rope_of_part>("rope_of_part", "concatenate(rope_table of the first part of x, the rest) → rope_table of x"),
    rule<without_casts<op::RopeTable, &op::RopeTable::x>>("rope_table_of_casts",
                                                          "f16 → f32, rope_table, f32 → f16: rope_table on f16"),
};

}  // namespace

std::span<const Rule> rope_rules() { return rules; }

}  // namespace ingot
