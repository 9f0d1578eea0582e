// Attention, as products and a softmax: softmax(scale·q·kᵀ, capped and masked)·v.
#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/narrow.h"
#include "passes/product.h"
#include "passes/recognize.h"
#include "passes/step.h"
#include "program/float_format.h"

namespace ingot {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// f16 or bf16 in f32 is the same number.
Ref through_widening(const Site& site, Ref ref) {
  const auto* cast = site.made_by<op::Cast>(ref);
  const bool widens = cast && is_real(site.dtype(cast->x)) && widened(site.dtype(cast->x)) == cast->dtype;
  return widens ? cast->x : ref;
}

// The value without a number in front, which goes into the scale.
Ref without_number(const Site& site, Ref ref, double& scale) {
  const Product product = product_of(site, ref);
  if (product.factors.size() != 1) return ref;
  scale *= product.number;
  return product.factors[0];
}

std::vector<int64_t> last_swapped(std::vector<int64_t> perm) {
  std::swap(perm.end()[-1], perm.end()[-2]);
  return perm;
}

// A mask, and the rank of the scores that it is for.
struct Mask {
  Ref ref{};
  int64_t rank = 4;
};

struct Scores {
  Ref q{}, k{};
  bool k_transposed = false;  // k is [B,H,D,T]
  double scale = 1;
  std::optional<double> softcap;
  std::optional<Mask> seen;   // of bool
  bool hides = false;         // true in it is what is not seen
  std::vector<Mask> addends;  // of floats
  Shape batch_heads;          // B and H, where some values have them as one axis and some as two
};

// Matrices that have B·H and are reshaped to B and H in front, or the other way round.
struct Split {
  Ref x;
  Shape batch_heads;
};
std::optional<Split> split_of(const Site& site, Ref ref) {
  const auto* reshape = site.made_by<op::Reshape>(ref);
  if (!reshape) return {};
  const Shape &from = site.shape(reshape->x), &to = site.shape(ref);
  const Shape& longer = from.size() > to.size() ? from : to;
  if (from.size() + to.size() != 7 || longer.size() != 4) return {};
  if (!std::equal(to.end() - 2, to.end(), from.end() - 2)) return {};
  return Split{reshape->x, {longer[0], longer[1]}};
}

// Whether the scores have such axes in one way alone.
bool agree(Scores& scores, const Split& split) {
  if (scores.batch_heads.empty()) scores.batch_heads = split.batch_heads;
  return scores.batch_heads == split.batch_heads;
}

// scale·q·kᵀ, where scale may be in four places.
std::optional<Scores> product_of_queries(const Site& site, Ref ref) {
  Scores scores;
  Ref inner = through_widening(site, without_number(site, ref, scores.scale));
  if (const auto split = split_of(site, inner)) {
    scores.batch_heads = split->batch_heads;
    inner = through_widening(site, without_number(site, split->x, scores.scale));
  }
  const auto* matmul = site.made_by<op::Matmul>(inner);
  if (!matmul || matmul->transpose_a) return {};
  scores.q = without_number(site, matmul->a, scores.scale);
  scores.k = without_number(site, matmul->b, scores.scale);
  scores.k_transposed = !matmul->transpose_b;
  const auto* transpose = scores.k_transposed ? site.made_by<op::Transpose>(scores.k) : nullptr;
  if (transpose && std::ranges::is_sorted(last_swapped(transpose->perm))) {
    scores.k = transpose->x;
    scores.k_transposed = false;
  }
  return scores;
}

// The same, perhaps as cap·tanh(scores / cap).
std::optional<Scores> capped(const Site& site, Ref ref) {
  double cap = 1;
  const op::Unary* tanh = site.unary(UnaryFn::tanh, without_number(site, through_widening(site, ref), cap));
  if (!tanh) return product_of_queries(site, through_widening(site, ref));
  auto scores = cap > 0 ? product_of_queries(site, tanh->x) : std::nullopt;
  if (!scores) return {};
  scores->scale *= cap;
  scores->softcap = cap;
  return scores;
}

// The same, perhaps with masks that are added.
std::optional<Scores> split_and_biased(const Site& site, Ref ref, int masks = 2);
std::optional<Scores> biased(const Site& site, Ref ref, int masks) {
  const op::Binary* sum = masks > 0 ? site.binary(BinaryFn::add, ref) : nullptr;
  if (!sum) return capped(site, ref);
  for (const auto& [part, mask] : {std::pair(sum->a, sum->b), std::pair(sum->b, sum->a)}) {
    if (!is_real(site.dtype(mask)) || site.shape(part) != site.shape(ref)) continue;
    auto scores = split_and_biased(site, part, masks - 1);
    if (!scores) continue;
    scores->addends.push_back({mask, site.type(ref).rank()});
    return scores;
  }
  return {};
}

std::optional<Scores> split_and_biased(const Site& site, Ref ref, int masks) {
  const auto split = split_of(site, ref);
  auto scores = biased(site, split ? split->x : ref, masks);
  return scores && (!split || agree(*scores, *split)) ? scores : std::nullopt;
}

// About the lowest number of the dtype, as exporters write for -inf.
bool is_lowest(double number, DType dtype) {
  const auto format = float_format(dtype);
  return number < 0 && std::isfinite(number) && format && !encode(*format, 2 * number);
}

// Whether a selection hides keys where its condition is `hidden`. A number that is not -inf would not hide a row's only
// keys, so that the condition must show some to each.
bool hides_keys(const Site& site, const op::Select& op, Ref result, bool hidden) {
  const Ref number = hidden ? op.a : op.b;
  if (site.is_number(number, -kInfinity)) return true;
  const Shape& shape = site.shape(result);
  if (!is_lowest(site.real(number).value_or(0), site.dtype(result)) || shape.size() < 2) return false;
  const auto step = step_of(site, op.condition, shape.end()[-2], shape.back());
  return step && (step->within != 0) != hidden && reaches_every_row(*step);
}

// The same, or what a mask hides is -inf.
std::optional<Scores> masked(const Site& site, Ref ref) {
  const Ref inner = through_widening(site, ref);
  const auto* select = site.made_by<op::Select>(inner);
  if (!select) return split_and_biased(site, inner);
  const bool hides = hides_keys(site, *select, inner, true);
  if (!hides && !hides_keys(site, *select, inner, false)) return {};
  auto scores = capped(site, hides ? select->b : select->a);
  if (!scores || site.dtype(select->condition) != DType::bool_) return {};
  scores->seen = {select->condition, site.type(inner).rank()};
  scores->hides = hides;
  return scores;
}

// -------------------------------------------------------------------------------------------------------------- heads

// What a value repeats along an axis where it has one element, by any op that does.
std::optional<Ref> before_stretch(const Site& site, Ref ref, size_t axis) {
  Ref x{};
  if (const auto* broadcast = site.made_by<op::Broadcast>(ref)) {
    x = broadcast->x;
  } else if (const auto* tile = site.made_by<op::Tile>(ref)) {
    x = tile->x;
  } else if (const auto* joined = site.made_by<op::Concatenate>(ref)) {
    x = joined->operands.front();
    if (std::ranges::count(joined->operands, x) != std::ssize(joined->operands)) return {};
  } else {
    return {};
  }
  Shape shape = site.shape(ref);
  if (axis >= shape.size()) return {};
  shape[axis] = 1;
  return site.shape(x) == shape ? std::optional(x) : std::nullopt;
}

// [B,G,T,D], where the value repeats each of its heads.
std::optional<Var> before_repeat(const Site& site, Ref ref) {
  const Shape& shape = site.shape(ref);
  if (shape.size() != 4) return {};
  if (const auto* repeat = site.made_by<op::Repeat>(ref)) {
    return repeat->axis == 1 || repeat->axis == -3 ? std::optional(site(repeat->x)) : std::nullopt;
  }
  if (const auto only = before_stretch(site, ref, 1)) return site(*only);
  const auto* reshape = site.made_by<op::Reshape>(ref);
  const auto stretched = reshape ? before_stretch(site, reshape->x, 2) : std::nullopt;
  if (!stretched) return {};
  const Shape& from = site.shape(*stretched);
  if (from.size() != 5 || Shape{from[0], shape[1], from[3], from[4]} != shape) return {};
  const Shape heads{from[0], from[1], from[3], from[4]};
  const auto* unsqueeze = site.made_by<op::Reshape>(*stretched);
  if (unsqueeze && site.shape(unsqueeze->x) == heads) return site(unsqueeze->x);
  return site.to().reshape(site(*stretched), heads);
}

// k as [..., T, D]. Axes in front may have been split behind the transpose, as [B·H,D,T] into [B,H,D,T].
std::optional<Var> keys_of(const Site& site, const Scores& scores) {
  if (!scores.k_transposed) return site(scores.k);
  const auto* split = site.made_by<op::Reshape>(scores.k);
  const Ref swapped = split ? split->x : scores.k;
  const auto* transpose = site.made_by<op::Transpose>(swapped);
  if (!transpose) return {};
  const Shape &from = site.shape(swapped), &to = site.shape(scores.k);
  if (from.size() < 2 || !std::equal(to.end() - 2, to.end(), from.end() - 2)) return {};
  Shape shape = to;
  std::swap(shape.end()[-1], shape.end()[-2]);
  const Var keys = site.to().transpose(site(transpose->x), last_swapped(transpose->perm));
  return split ? site.to().reshape(keys, shape) : keys;
}

// select(isnan(p), 0, p) makes rows that see no key 0, as they are in attention.
Ref without_guard(const Site& site, Ref ref) {
  const auto* select = site.made_by<op::Select>(ref);
  const op::Unary* isnan = select ? site.unary(UnaryFn::isnan, select->condition) : nullptr;
  const bool guards =
      isnan && isnan->x == select->b && site.real(select->a) == 0.0 && site.type(select->b) == site.type(ref);
  return guards ? select->b : ref;
}

// What is rounded to the dtype of the values.
Ref through_rounding(const Site& site, Ref ref, DType dtype) {
  const auto* cast = site.made_by<op::Cast>(ref);
  return cast && !cast->saturate && cast->dtype == dtype ? cast->x : ref;
}

// [B·H,S,D] as [B,H,S,D]; of masks also [1,S,D] as [1,1,S,D].
Var with_heads(const Shape& batch_heads, Var x) {
  const Shape& shape = x.shape();
  if (shape.size() != 3) return x;
  const bool one = shape[0] == Dim(1);
  return x.graph().reshape(x, {one ? 1 : batch_heads[0], one ? 1 : batch_heads[1], shape[1], shape[2]});
}

// The mask of attention, if any. Two that are added stand for their sum.
std::optional<Var> mask_of(const Site& site, const Scores& scores) {
  const auto with_rank = [&](const Mask& mask, Var x) {
    return mask.rank == 3 ? with_heads(scores.batch_heads, x) : x;
  };
  if (scores.seen) {
    const Var seen = site(scores.seen->ref);
    return with_rank(*scores.seen, scores.hides ? site.to().logical_not(seen) : seen);
  }
  std::optional<Var> sum;
  for (const Mask& addend : scores.addends) {
    const Var mask = with_rank(addend, site(addend.ref));
    sum = sum ? *sum + mask : mask;
  }
  return sum;
}

// The scores behind the weights of a product. Where nothing says what B and H are, all values have the same rank, and
// those of rank 3 are of one head each.
std::optional<Scores> scores_of(const Site& site, const op::Matmul& op) {
  const DType dtype = site.result_type().dtype;
  const auto split = split_of(site, op.a);
  const Ref product = split ? split->x : op.a;
  const Ref weights = without_guard(site, through_rounding(site, without_guard(site, product), dtype));
  const auto* softmax = site.made_by<op::Softmax>(weights);
  if (!softmax || softmax->log) return {};
  const int64_t rank = site.type(weights).rank();
  if ((rank != 3 && rank != 4) || (softmax->axis != -1 && softmax->axis != rank - 1)) return {};
  if (site.dtype(weights) != dtype && site.dtype(weights) != widened(dtype)) return {};
  auto scores = masked(site, softmax->x);
  if (!scores || (split && !agree(*scores, *split))) return {};
  const int64_t of_queries = site.type(scores->q).rank(), of_values = site.type(op.b).rank();
  if (scores->batch_heads.empty()) {
    if (of_queries != rank || of_values != rank) return {};
    if (rank == 3) scores->batch_heads = {site.shape(scores->q)[0], 1};
  }
  return scores;
}

std::optional<Var> attention(const op::Matmul& op, const Site& site) {
  if (op.transpose_a || op.transpose_b) return {};
  const auto scores = scores_of(site, op);
  if (!scores) return {};
  const auto common = promote(site.dtype(scores->q), site.dtype(scores->k));
  if (!common || promote(*common, site.dtype(op.b)) != site.result_type().dtype) return {};

  std::optional<Var> keys = keys_of(site, *scores), values = site(op.b);
  if (!keys) return {};
  const auto few_keys = scores->k_transposed ? std::nullopt : before_repeat(site, scores->k);
  const auto few_values = few_keys ? before_repeat(site, op.b) : std::nullopt;
  if (few_values && few_values->dim(1) == few_keys->dim(1) && few_keys->dim(1).is_literal()) {
    keys = few_keys;
    values = few_values;
  }
  const auto with = [&](Var x) { return with_heads(scores->batch_heads, x); };
  const Var q = with(site(scores->q)), k = with(*keys), v = with(*values);
  const std::optional<Var> mask = mask_of(site, *scores);
  const Var y = site.to().attention(q, k, v, {.mask = mask, .scale = scores->scale, .softcap = scores->softcap});
  return site.result_type().rank() == 3 ? site.to().reshape(y, site.result_type().shape) : y;
}

// ------------------------------------------------------------------------------------------------------------- causal

// Whether the mask hides the keys beyond each query's own and no others. What a number hides that is not -inf is hidden
// only beside a key that is seen.
bool hides_beyond(const Step& step, DType mask, DType scores) {
  if (mask == DType::bool_) return step.within == 1 && step.beyond == 0;
  if (step.within != 0) return false;
  return step.beyond == -kInfinity || (is_lowest(step.beyond, scores) && reaches_every_row(step));
}

std::optional<Var> causal_attention(const op::Attention& op, const Site& site) {
  if (!op.mask || op.causal != Causal::none) return {};
  const Dim &rows = site.shape(op.q)[2], &columns = site.shape(op.k)[2];
  const auto step = step_of(site, *op.mask, rows, columns);
  const auto scores = promote(site.dtype(op.q), site.dtype(*op.mask));
  if (!step || !scores || !hides_beyond(*step, site.dtype(*op.mask), *scores)) return {};
  op::Attention causal = op;
  causal.mask.reset();
  if (step->up_to == Dim(0)) {
    causal.causal = Causal::upper_left;
  } else if (step->up_to == columns - rows && !op.lengths) {
    causal.causal = Causal::lower_right;
  } else {
    return {};
  }
  return site.to().add(site.moved(causal))[0];
}

const Rule rules[] = {
    rule<attention>("attention", "softmax(scale·q·kᵀ + mask)·v → attention, without repeats of heads"),
    rule<causal_attention>("causal_attention", "attention with a mask of all keys up to the query's → with `causal`"),
    rule<without_casts<op::Attention, &op::Attention::q, &op::Attention::k, &op::Attention::v>>(
        "attention_of_casts", "f16 → f32, attention, f32 → f16: attention on f16"),
};

}  // namespace

std::span<const Rule> attention_rules() { return rules; }

}  // namespace ingot
