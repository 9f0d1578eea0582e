// Attention and rotary embeddings. Sizes by their usual letters: q [B,H,S,D], k [B,G,T,D], v [B,G,T,E].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/mlx/cast.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/libm.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/turns.h"
#include "program/decompose.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

constexpr float kHidden = -std::numeric_limits<float>::infinity();

// What decides the weights besides q and k. Numbers are in the dtype that is computed in.
struct Terms {
  double scale = 1;
  std::optional<double> softcap = {};
  std::optional<array> sinks = {};  // [H]
  std::optional<array> seen = {};   // bool, broadcasts to [B,H,S,T]
  std::optional<array> added = {};  // likewise
  // Whether there may be a row that sees no key.
  bool may_see_none = false;
  // Instead of `seen`: the last query sees the last key, and there are no fewer keys than queries.
  bool causal = false;

  // MLX's own attention adds a mask or hides by one, not both.
  bool are_of_mlx() const { return !softcap && !(seen && added); }
};

double scale_of(const std::optional<double>& scale, int64_t d) {
  return scale ? *scale : 1 / std::sqrt(static_cast<double>(d));
}

// Whether MLX has kernels for it on a GPU, which compute in f32; what it composes rounds the scores to their dtype.
bool has_gpu_kernel(DType dtype, int64_t d, int64_t e) {
  return (dtype == DType::f16 || dtype == DType::bf16) && d == e && d % 8 == 0 && d <= 128;
}

// ------------------------------------------------------------------------------------------------------------ weights

// y, but 0 for a row that sees no key by the mask. Precondition: are_of_mlx.
array zero_unless_seeing(const array& y, const Terms& terms, mx::Stream s) {
  if (!terms.may_see_none) return y;
  const array seen = terms.seen ? *terms.seen : mx::not_equal(*terms.added, number(kHidden, *terms.added), s);
  return mx::where(mx::any(seen, -1, true, s), y, number(0, y), s);
}

array native(const array& q, const array& k, const array& v, const Terms& terms, mx::Stream s) {
  const std::optional<array>& mask = terms.seen ? terms.seen : terms.added;
  const char* mode = terms.causal ? "causal" : mask ? "array" : "";
  const auto scale = static_cast<float>(terms.scale);
  return zero_unless_seeing(mx::fast::scaled_dot_product_attention(q, k, v, scale, mode, mask, terms.sinks, false, s),
                            terms, s);
}

// Along the last axis. MLX's own computes powers of f64 in f32.
array softmax(const array& x, mx::Stream s) {
  if (x.dtype() != mx::float64) return mx::softmax(x, -1, true, s);
  const array powers = exp(mx::subtract(x, mx::max(x, -1, true, s), s), s);
  return mx::divide(powers, mx::sum(powers, -1, true, s), s);
}

// The softmax of scores [B,H,S,T], in which the sinks take their share.
array weights_of(const array& scores, const std::optional<array>& sinks, mx::Stream s) {
  if (!sinks) return softmax(scores, s);
  mx::Shape column = scores.shape(), stop = column;
  column.back() = 1;
  const array sink = mx::broadcast_to(mx::reshape(*sinks, {column[1], 1, 1}, s), column, s);
  return mx::slice(softmax(mx::concatenate({scores, sink}, -1, s), s), {0, 0, 0, 0}, stop, s);
}

array composed(const array& q, const array& k, const array& v, const Terms& terms, mx::Stream s) {
  const int batch = q.shape(0), heads = q.shape(1), queries = q.shape(2), keys = k.shape(2), groups = k.shape(1);
  const int rows = heads / groups * queries;  // of the heads that share one of k and v
  array scores = mx::matmul(mx::reshape(q, {batch, groups, rows, q.shape(3)}, s), mx::swapaxes(k, -1, -2, s), s);
  scores = mx::multiply(mx::reshape(scores, {batch, heads, queries, keys}, s), number(terms.scale, q), s);
  if (terms.softcap) {
    const array cap = number(*terms.softcap, q);
    scores = mx::multiply(mx::tanh(mx::divide(scores, cap, s), s), cap, s);
  }
  const array hidden = number(kHidden, q);
  if (terms.added) scores = mx::add(scores, *terms.added, s);
  if (terms.seen) scores = mx::where(*terms.seen, scores, hidden, s);
  const array weights = mx::reshape(weights_of(scores, terms.sinks, s), {batch, groups, rows, keys}, s);
  const array y = mx::reshape(mx::matmul(weights, v, s), {batch, heads, queries, v.shape(3)}, s);
  if (terms.are_of_mlx() && q.dtype() != mx::float64) return zero_unless_seeing(y, terms, s);
  return mx::where(mx::any(mx::not_equal(scores, hidden, s), -1, true, s), y, number(0, y), s);
}

array attend(const array& q, const array& k, const array& v, const Terms& terms, mx::Stream s) {
  if (q.shape(3) == 0) {  // every product is 0, as with one feature that is
    const auto padded = [&](const array& x) { return mx::pad(x, {3}, {0}, {1}, number(0, x), "constant", s); };
    return attend(padded(q), padded(k), v, terms, s);
  }
  // Masked f32 MLX composes on CUDA as well, with a kernel more for the scale.
  const bool is_better = is_cuda(s) && q.dtype() == mx::float32 && (terms.seen || terms.added);
  const bool of_mlx = terms.are_of_mlx() && q.dtype() != mx::float64 && !is_better;
  return of_mlx ? native(q, k, v, terms, s) : composed(q, k, v, terms, s);
}

// -------------------------------------------------------------------------------------------------------------- masks

std::optional<array> both(const std::optional<array>& a, const std::optional<array>& b, mx::Stream s) {
  return a && b ? mx::logical_and(*a, *b, s) : a ? a : b;
}

// bool[S,T], or [B,1,S,T]: query i sees keys up to i + offset, of these the last `window`.
array causally_seen(int64_t queries, int64_t keys, const array& offset, const std::optional<int64_t>& window,
                    mx::Stream s) {
  const array i = mx::reshape(mx::arange(0, static_cast<int>(queries), 1, s), {-1, 1}, s);
  const array distance = mx::subtract(mx::add(i, offset, s), mx::arange(0, static_cast<int>(keys), 1, s), s);
  array seen = mx::greater_equal(distance, array(0), s);
  if (!window) return seen;
  const auto most = static_cast<int>(std::min<int64_t>(*window, std::numeric_limits<int>::max()));
  return mx::logical_and(seen, mx::less(distance, array(most), s), s);
}

// bool[B,1,1,T] of lengths [B,1,1,1]
array within(const array& lengths, int64_t keys, mx::Stream s) {
  return mx::less(mx::arange(0, static_cast<int>(keys), 1, s), lengths, s);
}

// i32[B,1,1,1]
array length_column(Frame& frame, Ref lengths, int64_t keys) {
  const array known = mx::astype(lengths_of(frame, frame.in(lengths), keys), mx::int32, frame.stream());
  return mx::reshape(known, {known.shape(0), 1, 1, 1}, frame.stream());
}

// Adds to the terms what lengths [B,1,1,1], `causal` and `window` hide.
void hide(Terms& terms, const op::Attention& op, int64_t queries, int64_t keys, const std::optional<array>& lengths,
          bool has_causal_kernel, mx::Stream s) {
  if (lengths) {
    terms.seen = both(terms.seen, within(*lengths, keys, s), s);
    terms.may_see_none = true;
  }
  if (op.causal == Causal::none) return;
  const bool lower_right = op.causal == Causal::lower_right;
  if (lower_right && queries == 1 && !op.window) return;  // a last query sees every key
  if (queries > keys && (lower_right || op.window)) terms.may_see_none = true;
  terms.causal = has_causal_kernel && !terms.seen && !op.window && (queries == keys || (lower_right && queries < keys));
  if (terms.causal) return;
  const array number_of_queries(static_cast<int>(queries));
  const array last = lengths ? *lengths : array(static_cast<int>(keys));
  const array offset = lower_right ? mx::subtract(last, number_of_queries, s) : array(0);
  terms.seen = both(terms.seen, causally_seen(queries, keys, offset, op.window, s), s);
}

// ------------------------------------------------------------------------------------------------------------- pages

// The table in i32 within the pages. An entry that a length needs and that is no page fails the call.
array pages_of(Frame& frame, Ref ref, const array& lengths, int64_t page, int64_t pages) {
  const mx::Stream s = frame.stream();
  const array table = as_i64(frame, frame.in(ref));
  const int width = table.shape(1);
  const array known = mx::clip(table, number(0, table), number(std::max<int64_t>(pages - 1, 0), table), s);
  const array first = mx::multiply(mx::arange(0, width, 1, mx::int64, s), number(page, table), s);
  const array needed = mx::less(first, mx::reshape(mx::astype(lengths, mx::int64, s), {table.shape(0), 1}, s), s);
  const array good = mx::logical_and(mx::equal(table, known, s), array(pages > 0), s);
  const array bad = mx::logical_and(needed, mx::logical_not(good, s), s);
  const array witness = mx::stack({mx::astype(bad, mx::int64, s), table}, s);
  frame.guard(mx::logical_not(bad, s), witness, [pages, width](const Tensor& both) {
    const auto values = both.as<int64_t>();
    const auto flags = values.first(values.size() / 2), entries = values.last(values.size() / 2);
    const auto at = static_cast<size_t>(std::ranges::find(flags, 1) - flags.begin());
    return Error::mismatch(
        Code::out_of_range, "",
        fmt::format("page {} of batch {}", at % static_cast<size_t>(width), at / static_cast<size_t>(width)),
        fmt::format("{}", entries[at]), fmt::format("0..{}", pages - 1));
  });
  return mx::astype(known, mx::int32, s);
}

// The pages [P,page,G,D] that the table [B,pages] names, as [B,G,T,D] in the dtype; 0 beyond the lengths, where anything
// may lie.
array gathered(const Frame& frame, Ref ref, const array& table, const array& inside, DType dtype) {
  const mx::Stream s = frame.stream();
  const array& pages = frame.in(ref);
  const int batch = table.shape(0), keys = table.shape(1) * pages.shape(1);
  const array rows = cast(frame, mx::take(pages, table, 0, s), frame.dtype(ref), dtype);
  const array flat = mx::reshape(rows, {batch, keys, pages.shape(2), pages.shape(3)}, s);
  const array known = mx::where(mx::reshape(inside, {batch, keys, 1, 1}, s), flat, number(0, flat), s);
  return mx::transpose(known, {0, 2, 1, 3}, s);
}

// -------------------------------------------------------------------------------------------------------------- rope

// The elements from `start` on of the last axis, `count` of them.
array part(const array& x, int start, int count, mx::Stream s) {
  mx::Shape from(x.ndim(), 0), to = x.shape();
  from.back() = start;
  to.back() = start + count;
  return mx::slice(x, from, to, s);
}

// x with an axis of two in the other order.
array swapped(const array& x, int axis, mx::Stream s) {
  mx::Shape from(x.ndim(), 0), to = x.shape(), steps(x.ndim(), 1);
  const auto at = static_cast<size_t>(from_front(axis, x.ndim()));
  from[at] = 1, to[at] = -3, steps[at] = -1;
  return mx::slice(x, from, to, steps, s);
}

// (a, b) becomes (a·cos - b·sin, b·cos + a·sin). Pairs are (x_i, x_(i+pairs)), or interleaved (x_2i, x_(2i+1)). As
// (a, b)·cos + (b, a)·(-sin, sin) it is one kernel where element-wise ops are fused.
array turned(const array& x, const array& cos, const array& sin, int pairs, bool interleaved, mx::Stream s) {
  if (pairs == 0) return x;
  const int rest = x.shape(-1) - 2 * pairs, axis = interleaved ? -1 : -2;
  const array first = rest > 0 ? part(x, 0, 2 * pairs, s) : x;
  const mx::Shape last = interleaved ? mx::Shape{pairs, 2} : mx::Shape{2, pairs};
  const array signs = mx::reshape(array({-1.0F, 1.0F}), interleaved ? mx::Shape{1, 2} : mx::Shape{2, 1}, s);
  const array both_signs = mx::multiply(mx::expand_dims(sin, axis, s), mx::astype(signs, sin.dtype(), s), s);
  const array pair = mx::unflatten(first, -1, last, s);
  const array y = mx::add(mx::multiply(pair, mx::expand_dims(cos, axis, s), s),
                          mx::multiply(swapped(pair, axis, s), both_signs, s), s);
  array whole = mx::flatten(y, -2, -1, s);
  return rest > 0 ? mx::concatenate({std::move(whole), part(x, 2 * pairs, rest, s)}, -1, s) : whole;
}

// Of the pairs, where no operand says them: base^(-2i/dims)
std::vector<double> own_frequencies(const op::Rope& op, int64_t dims) {
  std::vector<double> own;
  for (int64_t i = 0; i < dims / 2; ++i) {
    own.push_back(std::pow(op.base, -2 * static_cast<double>(i) / static_cast<double>(dims)));
  }
  return own;
}

// The position of each pair: […, 1], or with sections […, pairs].
array pair_positions(const op::Rope& op, Frame& frame, DType dtype) {
  const mx::Stream s = frame.stream();
  const array positions = frame.in(op.positions, dtype);
  if (op.sections.empty()) return mx::expand_dims(positions, -1, s);
  std::vector<int32_t> section_of;
  for (size_t i = 0; i < op.sections.size(); ++i) {
    section_of.insert(section_of.end(), static_cast<size_t>(op.sections[i]), static_cast<int32_t>(i));
  }
  const array sections(section_of.begin(), {static_cast<int>(section_of.size())});
  return mx::moveaxis(mx::take(positions, sections, 0, s), 0, -1, s);
}

// Positions may be large: angles are in f64 where the device has it, else integers count turns.
Rotation rotation_of(const op::Rope& op, Frame& frame, int64_t dims) {
  const mx::Stream s = frame.stream();
  const std::vector<double> own = op.freqs ? std::vector<double>{} : own_frequencies(op, dims);
  if (const DType given = frame.dtype(op.positions); !frame.on_cpu() && !op.freqs && is_integer(given)) {
    std::vector<double> scaled = own;
    for (double& frequency : scaled) frequency *= op.scale;
    const DType integer = given == DType::u64 ? DType::u64 : DType::i64;
    if (are_countable(scaled)) return rotations(pair_positions(op, frame, integer), scaled, s);
  }
  const DType dtype = frame.on_cpu() ? DType::f64 : DType::f32;
  const array frequencies =
      op.freqs ? frame.in(*op.freqs, dtype) : array(own.begin(), {static_cast<int>(own.size())}, to_mlx(dtype));
  const array at = mx::multiply(pair_positions(op, frame, dtype), array(op.scale, to_mlx(dtype)), s);
  const array angle = mx::multiply(at, frequencies, s);
  return {cos(angle, s), sin(angle, s)};
}

// ---------------------------------------------------------------------------------------------------------------- ops

// softmax(cap(scale·q·kᵀ) + mask)·v, where hidden scores are -inf; 0 for a row that sees no key
array emit(const op::Attention& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const Sizes q = frame.sizes(op.q), v = frame.sizes(op.v);
  const int64_t queries = q[2], d = q[3], keys = v[2], e = v[3];
  std::optional<array> lengths;
  if (op.lengths) lengths = length_column(frame, *op.lengths, keys);
  const Sizes sizes = frame.result_sizes();
  if (element_count(sizes) == 0 || keys == 0) return mx::zeros(frame.result_shape(), to_mlx(dtype), s);
  frame.spend(static_cast<uint64_t>(element_count(Sizes{q[0], q[1], queries, keys, d + e})));

  const bool mask_adds = op.mask && frame.dtype(*op.mask) != DType::bool_;
  Terms terms{.scale = scale_of(op.scale, d), .softcap = op.softcap};
  if (op.mask) terms.may_see_none = true;
  if (op.mask && !mask_adds) terms.seen = mx::atleast_1d(frame.in(*op.mask), s);
  hide(terms, op, queries, keys, lengths, !op.softcap && !mask_adds && dtype != DType::f64, s);
  const bool narrow = !frame.on_cpu() && !op.softcap && has_gpu_kernel(dtype, d, e) &&
                      (!mask_adds || (frame.dtype(*op.mask) == dtype && !terms.seen)) &&
                      (!op.sinks || frame.dtype(*op.sinks) == dtype);
  const DType computed = narrow ? dtype : widened(dtype);
  if (mask_adds) terms.added = mx::atleast_1d(frame.in(*op.mask, computed), s);
  if (op.sinks) terms.sinks = frame.in(*op.sinks, computed);
  // An integer is rounded to the dtype of the others before it is widened.
  const auto promoted = [&](Ref ref) { return mx::astype(cast(frame, ref, dtype), to_mlx(computed), s); };
  return mx::astype(attend(promoted(op.q), promoted(op.k), promoted(op.v), terms, s), to_mlx(dtype), s);
}

// The same, where key j of batch b is row j mod page of page table[b, j / page], and query i is number length - S + i
array emit(const op::PagedAttention& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType dtype = frame.result_dtype();
  const Sizes q = frame.sizes(op.q), k = frame.sizes(op.k), v = frame.sizes(op.v), entries = frame.sizes(op.table);
  const int64_t queries = q[2], d = q[3], e = v[3], keys = element_count(Sizes{entries[1], k[1]});
  to_mlx(Sizes{keys});  // throws where they are too many for MLX
  const array lengths = length_column(frame, op.lengths, keys);
  const array table = pages_of(frame, op.table, lengths, k[1], k[0]);
  if (element_count(frame.result_sizes()) == 0 || keys == 0 || k[0] == 0) {
    return mx::zeros(frame.result_shape(), to_mlx(dtype), s);
  }
  frame.spend(static_cast<uint64_t>(element_count(Sizes{q[0], q[1], queries, keys, d + e})));

  const bool narrow =
      !frame.on_cpu() && !op.softcap && has_gpu_kernel(dtype, d, e) && (!op.sinks || frame.dtype(*op.sinks) == dtype);
  const DType computed = narrow ? dtype : widened(dtype);
  const array inside = within(lengths, keys, s);
  Terms terms{.scale = scale_of(op.scale, d), .softcap = op.softcap, .seen = inside, .may_see_none = true};
  if (op.causal) {
    const array offset = mx::subtract(lengths, array(static_cast<int>(queries)), s);
    terms.seen = both(inside, causally_seen(queries, keys, offset, op.window, s), s);
  }
  if (op.sinks) terms.sinks = frame.in(*op.sinks, computed);
  // An integer is rounded to the dtype of the others before it is widened.
  const auto widen = [&](const array& x) { return mx::astype(x, to_mlx(computed), s); };
  const array y = attend(widen(cast(frame, op.q, dtype)), widen(gathered(frame, op.k, table, inside, dtype)),
                         widen(gathered(frame, op.v, table, inside, dtype)), terms, s);
  return mx::astype(y, to_mlx(dtype), s);
}

// pair i turned by the angle position·scale·freqs[i]
array emit(const op::Rope& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType wide = widened(frame.result_dtype());
  const array& x = frame.in(op.x);
  const int64_t dims = op.dims.value_or(x.shape(-1));
  if (x.size() == 0 || dims == 0) return x;
  const Rotation by = rotation_of(op, frame, dims);
  const array y = turned(frame.in(op.x, wide), mx::astype(by.cosine, to_mlx(wide), s),
                         mx::astype(by.sine, to_mlx(wide), s), static_cast<int>(dims / 2), op.interleaved, s);
  return mx::astype(y, x.dtype(), s);
}

// pair i turned by the angle of cos[i] and sin[i]
array emit(const op::RopeTable& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const DType wide = widened(frame.result_dtype());
  const array& x = frame.in(op.x);
  if (x.size() == 0) return x;
  const array cos = frame.in(op.cos, wide), sin = frame.in(op.sin, wide);
  return mx::astype(turned(frame.in(op.x, wide), cos, sin, cos.shape(-1), op.interleaved, s), x.dtype(), s);
}

}  // namespace

INGOT_LOWERINGS(attention)

}  // namespace ingot::mlx_engine
