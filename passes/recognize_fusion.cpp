// Two ops as one: products with packed weights, what scales and shifts the channels of a convolution, updates of state.
#include <utility>

#include "passes/hoist.h"
#include "passes/narrow.h"
#include "passes/recognize.h"

namespace ingot {
namespace {

// The dequantize behind a weight, which casts may round and transposes turn.
const op::Dequantize* dequantized(const Site& site, Ref ref, bool& transposed) {
  if (const auto* cast = site.made_by<op::Cast>(ref)) {
    return is_real(cast->dtype) && !cast->saturate ? dequantized(site, cast->x, transposed) : nullptr;
  }
  if (const auto* transpose = site.made_by<op::Transpose>(ref)) {
    if (transpose->perm != std::vector<int64_t>{1, 0}) return nullptr;
    transposed = !transposed;
    return dequantized(site, transpose->x, transposed);
  }
  return site.made_by<op::Dequantize>(ref);
}

std::optional<Var> quantized_matmul(const op::Matmul& op, const Site& site) {
  bool transposed = op.transpose_b;
  const op::Dequantize* weight = dequantized(site, op.b, transposed);
  if (!weight || op.transpose_a || !transposed || site.type(weight->x).rank() != 2) return {};
  const DType dtype = site.dtype(op.a), wide = widened(dtype);
  if (site.result_type().dtype != dtype || promote(weight->dtype, wide) != wide) return {};
  return site.to().quantized_matmul(site(op.a), site(weight->x), {.scale = site(weight->scale)});
}

// ---------------------------------------------------------------------------------------------------------------- conv

// Only values that are computed before calls, so that the new weights are as well.
bool prepared(const Site& site, Ref ref, DType dtype) { return site.dtype(ref) == dtype && may_hoist(site, ref); }
bool prepared(const Site& site, const std::optional<Ref>& ref, DType dtype) {
  return !ref || prepared(site, *ref, dtype);
}

// A convolution that nothing else uses, with weights that may be scaled: those of f16 would be rounded.
const op::Conv* changeable_conv(const Site& site, Ref ref) {
  const auto* conv = site.made_by<op::Conv>(ref);
  const DType dtype = site.dtype(ref);
  if (!conv || !site.used_once(ref) || !is_real(dtype) || widened(dtype) != dtype) return nullptr;
  return prepared(site, conv->w, dtype) && prepared(site, conv->bias, dtype) ? conv : nullptr;
}

Var changed(const Site& site, const op::Conv& conv, Var weight, std::optional<Var> bias) {
  return site.to().conv(site(conv.x), weight,
                        {.bias = bias,
                         .strides = conv.strides,
                         .dilations = conv.dilations,
                         .before = conv.before,
                         .after = conv.after,
                         .groups = conv.groups});
}

// w [O, …] times scale [O]
Var scaled_weight(const Site& site, const op::Conv& conv, Var scale) {
  Shape column(site.shape(conv.w).size(), 1);
  column[0] = scale.dim(0);
  return site(conv.w) * site.to().reshape(scale, column);
}

std::optional<Var> conv_batch_norm(const op::BatchNorm& op, const Site& site) {
  const op::Conv* conv = changeable_conv(site, op.x);
  const DType dtype = site.result_type().dtype;
  if (!conv || site.dtype(op.x) != dtype || (op.axis != 1 && op.axis != 1 - site.result_type().rank())) return {};
  if (!prepared(site, op.mean, dtype) || !prepared(site, op.var, dtype)) return {};
  if (!prepared(site, op.weight, dtype) || !prepared(site, op.bias, dtype)) return {};
  Var scale = site.to().rsqrt(site(op.var) + op.eps);
  if (op.weight) scale = scale * site(*op.weight);
  Var bias = (conv->bias ? site(*conv->bias) - site(op.mean) : -site(op.mean)) * scale;
  if (op.bias) bias = bias + site(*op.bias);
  return changed(site, *conv, scaled_weight(site, *conv, scale), bias);
}

// One number for each channel of x [N, C, …], as [C]: an operand of sizes [C, 1…] or [1, C, 1…].
std::optional<Var> of_channels(const Site& site, Ref ref, Ref x) {
  const size_t rank = site.shape(x).size(), own = site.shape(ref).size();
  if (!prepared(site, ref, site.dtype(x)) || (own != rank && own != rank - 1)) return {};
  Shape wanted(own, 1);
  wanted[own - rank + 1] = site.shape(x)[1];
  if (site.shape(ref) != wanted) return {};
  return site.to().reshape(site(ref), {site.shape(x)[1]});
}

// A convolution and a number for each of its channels, whichever comes first.
struct Channelwise {
  const op::Conv* conv;
  Var numbers;
};

std::optional<Channelwise> channelwise(const Site& site, const op::Binary& op) {
  for (const auto& [x, other] : {std::pair(op.a, op.b), std::pair(op.b, op.a)}) {
    const op::Conv* conv = changeable_conv(site, x);
    const auto numbers = conv ? of_channels(site, other, x) : std::nullopt;
    if (numbers) return Channelwise{conv, *numbers};
  }
  return {};
}

std::optional<Var> conv_scale(const op::Binary& op, const Site& site) {
  const auto found = op.fn == BinaryFn::mul ? channelwise(site, op) : std::nullopt;
  if (!found) return {};
  const auto& [conv, scale] = *found;
  const auto bias = conv->bias ? std::optional(site(*conv->bias) * scale) : std::nullopt;
  return changed(site, *conv, scaled_weight(site, *conv, scale), bias);
}

std::optional<Var> conv_bias(const op::Binary& op, const Site& site) {
  const auto found = op.fn == BinaryFn::add ? channelwise(site, op) : std::nullopt;
  if (!found) return {};
  const auto& [conv, bias] = *found;
  return changed(site, *conv, site(conv->w), conv->bias ? site(*conv->bias) + bias : bias);
}

// --------------------------------------------------------------------------------------------------------------- state

// What others use of the new contents would have to be computed all the same.
std::optional<Var> state_update(const op::StateWrite& op, const Site& site) {
  const auto* update = site.made_by<op::DynamicUpdate>(op.value);
  const auto* read = update && site.used_once(op.value) ? site.made_by<op::StateRead>(update->x) : nullptr;
  if (!read || read->state != op.state) return {};
  if (!site.unchanged_between(op.state, *site.maker(update->x), site.node())) return {};
  return site.to().state_update(op.state, site(update->update), site(update->starts), update->axes,
                                {.mode = update->mode});
}

const Rule rules[] = {
    rule<quantized_matmul>("quantized_matmul", "x·dequantize(w)ᵀ → quantized_matmul"),
    rule<without_casts<op::QuantizedMatmul, &op::QuantizedMatmul::x>>(
        "quantized_matmul_of_casts", "f16 → f32, quantized_matmul, f32 → f16: quantized_matmul on f16"),
    rule<conv_batch_norm>("conv_batch_norm", "batch_norm(conv(x, w)) → conv of other weights, all hoisted"),
    rule<conv_scale>("conv_scale", "conv(x, w)·s, one number for each channel → conv of other weights, hoisted"),
    rule<conv_bias>("conv_bias", "conv(x, w) + b, one number for each channel → conv with a bias"),
    rule<state_update>("state_update", "state_write of dynamic_update of state_read → state_update"),
};

}  // namespace

std::span<const Rule> fusion_rules() { return rules; }

}  // namespace ingot
