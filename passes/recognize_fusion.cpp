// Two ops as one: products with packed weights, batch norms behind convolutions, updates of state.
#include <algorithm>

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

// The statistics and the weights must be constants, so that the new weights are computed once, by `fold`.
std::optional<Var> conv_batch_norm(const op::BatchNorm& op, const Site& site) {
  const auto* conv = site.made_by<op::Conv>(op.x);
  const int64_t rank = site.result_type().rank();
  if (!conv || !site.used_once(op.x) || (op.axis != 1 && op.axis != 1 - rank)) return {};
  const DType dtype = site.result_type().dtype;
  if (widened(dtype) != dtype) return {};  // scaled weights of f16 would be rounded
  const auto fixed = [&](Ref ref) { return site.dtype(ref) == dtype && (site.constant(ref) || site.number(ref)); };
  const auto fixed_or_absent = [&](const std::optional<Ref>& ref) { return !ref || fixed(*ref); };
  if (!fixed(conv->w) || !fixed_or_absent(conv->bias) || !fixed(op.mean) || !fixed(op.var)) return {};
  if (!fixed_or_absent(op.weight) || !fixed_or_absent(op.bias)) return {};

  GraphBuilder& graph = site.to();
  Var scale = graph.rsqrt(site(op.var) + op.eps);
  if (op.weight) scale = scale * site(*op.weight);
  Shape column(site.shape(conv->w).size(), 1);
  column[0] = scale.dim(0);
  const Var weight = site(conv->w) * graph.reshape(scale, column);
  Var bias = (conv->bias ? site(*conv->bias) - site(op.mean) : -site(op.mean)) * scale;
  if (op.bias) bias = bias + site(*op.bias);
  return graph.conv(site(conv->x), weight,
                    {.bias = bias,
                     .strides = conv->strides,
                     .dilations = conv->dilations,
                     .before = conv->before,
                     .after = conv->after,
                     .groups = conv->groups});
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
    rule<conv_batch_norm>("conv_batch_norm", "batch_norm(conv(x, w)), all constants → conv with other constants"),
    rule<state_update>("state_update", "state_write of dynamic_update of state_read → state_update"),
};

}  // namespace

std::span<const Rule> fusion_rules() { return rules; }

}  // namespace ingot
