// Rotary embeddings, as x·cos + turned(x)·sin with tables that say each angle twice.
#include "passes/recognize.h"

namespace ingot {
namespace {

// Part of the last axis of x.
struct Part {
  Ref x;
  Dim start, stop;
};
std::optional<Part> part(const Site& site, Ref ref) {
  const auto* slice = site.made_by<op::Slice>(ref);
  if (!slice || slice->axes.size() != 1 || !(slice->steps.empty() || slice->steps[0] == 1)) return {};
  if (slice->axes[0] != -1 && slice->axes[0] != site.type(slice->x).rank() - 1) return {};
  return Part{slice->x, slice->starts[0], slice->stops[0]};
}

bool along_last(const Site& site, const op::Concatenate* op, Ref ref) {
  return op && op->operands.size() == 2 && (op->axis == -1 || op->axis == site.type(ref).rank() - 1);
}

// The part of x that concatenate(-x₂, x₁) turns: x₁ and x₂ one after the other.
std::optional<Part> turned_part(const Site& site, Ref ref) {
  const auto* joined = site.made_by<op::Concatenate>(ref);
  if (!along_last(site, joined, ref)) return {};
  const op::Unary* negated = site.unary(UnaryFn::neg, joined->operands[0]);
  const auto second = negated ? part(site, negated->x) : std::nullopt, first = part(site, joined->operands[1]);
  if (!first || !second || first->x != second->x || first->stop != second->start) return {};
  if (first->stop - first->start != second->stop - second->start) return {};
  return Part{first->x, first->start, second->stop};
}

// Whether the value is that part, or all of x where the part is.
bool is_part(const Site& site, Ref ref, const Part& wanted) {
  if (ref == wanted.x) return wanted.start == Dim(0) && wanted.stop == site.shape(ref).back();
  const auto found = part(site, ref);
  return found && found->x == wanted.x && found->start == wanted.start && found->stop == wanted.stop;
}

// Whether both halves of the last axis are the same: concatenate(f, f), and functions of it by element.
bool repeats_half(const Site& site, Ref ref, int depth = 8) {
  if (depth == 0) return false;
  if (site.number(ref)) return true;
  if (const auto* unary = site.made_by<op::Unary>(ref)) return repeats_half(site, unary->x, depth - 1);
  if (const auto* cast = site.made_by<op::Cast>(ref)) return repeats_half(site, cast->x, depth - 1);
  if (const auto* reshape = site.made_by<op::Reshape>(ref)) {
    const Shape& from = site.shape(reshape->x);
    return !from.empty() && !site.shape(ref).empty() && from.back() == site.shape(ref).back() &&
           repeats_half(site, reshape->x, depth - 1);
  }
  if (const auto* broadcast = site.made_by<op::Broadcast>(ref)) {
    const Shape& from = site.shape(broadcast->x);
    return !from.empty() && from.back() == site.shape(ref).back() && repeats_half(site, broadcast->x, depth - 1);
  }
  if (const auto* binary = site.made_by<op::Binary>(ref)) {
    const bool scaled = site.number(binary->b).has_value() && site.shape(binary->a) == site.shape(ref);
    return scaled && repeats_half(site, binary->a, depth - 1);
  }
  const auto* joined = site.made_by<op::Concatenate>(ref);
  return along_last(site, joined, ref) && joined->operands[0] == joined->operands[1];
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
bool is_table(const Site& site, Ref ref, const Dim& last) {
  return !site.shape(ref).empty() && site.shape(ref).back() == last && repeats_half(site, ref);
}

// x·cos + turned(x)·sin, given the two products.
std::optional<Var> rotary(const Site& site, Ref straight, Ref turned) {
  std::optional<Part> turns;
  const auto with_sin = factors(site, turned, [&](Ref ref) {
    turns = turned_part(site, ref);
    return turns.has_value();
  });
  if (!with_sin) return {};
  const auto with_cos = factors(site, straight, [&](Ref ref) { return is_part(site, ref, *turns); });
  if (!with_cos || site.type(with_cos->x) != site.result_type()) return {};
  const Dim& last = site.shape(with_cos->x).back();
  if (!is_table(site, with_cos->table, last) || !is_table(site, with_sin->table, last)) return {};
  const auto first_half = [&](Ref ref) { return site.to().slice(site(ref), {-1}, {0}, {floor_div(last, 2)}); };
  const Var cos = first_half(with_cos->table), sin = first_half(with_sin->table);
  return site.to().rope_table(site(with_cos->x), cos, sin);
}

std::optional<Var> rope_table(const op::Binary& op, const Site& site) {
  if (op.fn != BinaryFn::add) return {};
  if (const auto found = rotary(site, op.a, op.b)) return found;
  return rotary(site, op.b, op.a);
}

const Rule rules[] = {
    rule<rope_table>("rope_table", "x·cos + concatenate(-x₂, x₁)·sin → rope_table"),
};

}  // namespace

std::span<const Rule> rope_rules() { return rules; }

}  // namespace ingot
