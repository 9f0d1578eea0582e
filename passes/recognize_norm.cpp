// Norms and softmax, as exporters without such an op write them.
#include <algorithm>
#include <cmath>

#include "passes/narrow.h"
#include "passes/product.h"
#include "passes/recognize.h"

namespace ingot {
namespace {

int64_t from_front(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

// How many axes the reduction keeps as 1, where they are the last ones and its dtype is that of x.
std::optional<int64_t> last_axes(const Site& site, const op::Reduce& op) {
  const TensorType& x = site.type(op.x);
  if (!op.keepdims || op.axes.empty() || (op.dtype && *op.dtype != x.dtype)) return {};
  const auto count = static_cast<int64_t>(op.axes.size());
  const bool last =
      std::ranges::all_of(op.axes, [&](int64_t axis) { return from_front(axis, x.rank()) >= x.rank() - count; });
  return last ? std::optional(count) : std::nullopt;
}

// mean(y) over the last axes of y.
struct Mean {
  Ref of;
  int64_t axes;
};
std::optional<Mean> mean_of(const Site& site, Ref ref) {
  const op::Reduce* mean = site.reduce(ReduceFn::mean, ref);
  const auto axes = mean ? last_axes(site, *mean) : std::nullopt;
  return axes ? std::optional(Mean{mean->x, *axes}) : std::nullopt;
}

// The v of sqrt(v), also as a power.
std::optional<Ref> in_root(const Site& site, Ref ref) {
  if (const op::Unary* sqrt = site.unary(UnaryFn::sqrt, ref)) return sqrt->x;
  const op::Binary* pow = site.binary(BinaryFn::pow, ref);
  return pow && site.is_number(pow->b, 0.5) ? std::optional(pow->a) : std::nullopt;
}

// The v of 1 / sqrt(v).
std::optional<Ref> in_inverse_root(const Site& site, Ref ref) {
  if (const op::Unary* rsqrt = site.unary(UnaryFn::rsqrt, ref)) return rsqrt->x;
  if (const op::Unary* one_over = site.unary(UnaryFn::reciprocal, ref)) return in_root(site, one_over->x);
  if (const op::Binary* quotient = site.binary(BinaryFn::div, ref)) {
    return site.is_number(quotient->a, 1) ? in_root(site, quotient->b) : std::nullopt;
  }
  const op::Binary* pow = site.binary(BinaryFn::pow, ref);
  return pow && site.is_number(pow->b, -0.5) ? std::optional(pow->a) : std::nullopt;
}

// The root as y / sqrt(spread + eps).
struct Normalised {
  Ref y, spread;
  double eps;
};
std::optional<Normalised> normalised(const op::Binary& op, const Site& site) {
  const auto with = [&](Ref y, std::optional<Ref> v) -> std::optional<Normalised> {
    const auto sum = v ? added_to_number(site, *v) : std::nullopt;
    if (!sum || !(sum->second >= 0) || std::isinf(sum->second) || site.type(y) != site.result_type()) return {};
    return Normalised{y, sum->first, sum->second};
  };
  if (op.fn == BinaryFn::div) return with(op.a, in_root(site, op.b));
  if (op.fn != BinaryFn::mul) return {};
  if (const auto found = with(op.a, in_inverse_root(site, op.b))) return found;
  return with(op.b, in_inverse_root(site, op.a));
}

// Over how many of the last axes the value is the mean of y².
std::optional<int64_t> mean_of_squares(const Site& site, Ref ref, Ref y) {
  const auto mean = mean_of(site, ref);
  if (!mean || site.type(mean->of) != site.type(y)) return {};
  return product_of(site, mean->of, y).is(1, {y, y}, site.dtype(y)) ? std::optional(mean->axes) : std::nullopt;
}

// The same for var(x), which is the mean of (x - mean)².
std::optional<int64_t> variance(const Site& site, Ref ref, Ref x) {
  const op::Reduce* var = site.reduce(ReduceFn::var, ref);
  return var && var->x == x && var->ddof == 0 ? last_axes(site, *var) : std::nullopt;
}

std::optional<Var> layer_norm(const op::Binary& op, const Site& site) {
  const auto found = normalised(op, site);
  const op::Binary* centred = found ? site.binary(BinaryFn::sub, found->y) : nullptr;
  const auto mean = centred ? mean_of(site, centred->b) : std::nullopt;
  if (!mean || mean->of != centred->a || site.type(centred->a) != site.result_type()) return {};
  auto axes = mean_of_squares(site, found->spread, found->y);
  if (!axes) axes = variance(site, found->spread, centred->a);
  if (axes != mean->axes) return {};
  return site.to().layer_norm(site(centred->a), {.axis = -*axes, .eps = found->eps});
}

std::optional<Var> rms_norm(const op::Binary& op, const Site& site) {
  const auto found = normalised(op, site);
  const auto axes = found ? mean_of_squares(site, found->spread, found->y) : std::nullopt;
  if (!axes) return {};
  return site.to().rms_norm(site(found->y), {.axis = -*axes, .eps = found->eps});
}

// ---------------------------------------------------------------------------------------------------- weight and bias

// The value as a parameter of a norm: of the shape of the axes from `axis` on, but for axes of size 1 in front.
template <class Norm>
std::optional<Var> parameter(const Site& site, const Norm& norm, Ref ref) {
  const Shape& x = site.shape(norm.x);
  const Shape wanted(x.begin() + from_front(norm.axis, static_cast<int64_t>(x.size())), x.end());
  const Shape& shape = site.shape(ref);
  if (!is_real(site.dtype(ref)) || shape.size() < wanted.size()) return {};
  const auto ones = shape.end() - static_cast<std::ptrdiff_t>(wanted.size());
  if (!std::all_of(shape.begin(), ones, [](const Dim& dim) { return dim == Dim(1); })) return {};
  if (!std::equal(ones, shape.end(), wanted.begin())) return {};
  return shape == wanted ? site(ref) : site.to().reshape(site(ref), wanted);
}

// norm(x)·weight, or norm(x) + bias: what is not the norm.
template <class Norm>
struct Adjusted {
  const Norm* norm;
  Ref by;
};
template <class Norm>
std::optional<Adjusted<Norm>> adjusted(const op::Binary& op, const Site& site, BinaryFn fn) {
  if (op.fn != fn) return {};
  for (const auto& [ref, by] : {std::pair(op.a, op.b), std::pair(op.b, op.a)}) {
    const Norm* norm = site.made_by<Norm>(ref);
    if (norm && site.used_once(ref) && site.type(ref) == site.result_type()) return Adjusted<Norm>{norm, by};
  }
  return {};
}

std::optional<Var> layer_norm_weight(const op::Binary& op, const Site& site) {
  const auto found = adjusted<op::LayerNorm>(op, site, BinaryFn::mul);
  if (!found || found->norm->weight || found->norm->bias) return {};
  const auto weight = parameter(site, *found->norm, found->by);
  if (!weight) return {};
  return site.to().layer_norm(site(found->norm->x),
                              {.weight = weight, .axis = found->norm->axis, .eps = found->norm->eps});
}

std::optional<Var> layer_norm_bias(const op::Binary& op, const Site& site) {
  const auto found = adjusted<op::LayerNorm>(op, site, BinaryFn::add);
  if (!found || found->norm->bias) return {};
  const auto bias = parameter(site, *found->norm, found->by);
  if (!bias) return {};
  const op::LayerNorm& norm = *found->norm;
  return site.to().layer_norm(site(norm.x),
                              {.weight = site(norm.weight), .bias = bias, .axis = norm.axis, .eps = norm.eps});
}

std::optional<Var> rms_norm_weight(const op::Binary& op, const Site& site) {
  const auto found = adjusted<op::RmsNorm>(op, site, BinaryFn::mul);
  if (!found || found->norm->weight) return {};
  const auto weight = parameter(site, *found->norm, found->by);
  if (!weight) return {};
  return site.to().rms_norm(site(found->norm->x),
                            {.weight = weight, .axis = found->norm->axis, .eps = found->norm->eps});
}

// ------------------------------------------------------------------------------------------------------------ softmax

// The only axis that the reduction keeps as 1, counted from the end.
std::optional<int64_t> one_axis(const Site& site, const op::Reduce* op) {
  if (!op || !op->keepdims || op->axes.size() != 1 || (op->dtype && *op->dtype != site.dtype(op->x))) return {};
  const int64_t rank = site.type(op->x).rank();
  return from_front(op->axes[0], rank) - rank;
}

// x - max(x)
struct Shifted {
  Ref x;
  int64_t axis;
};
std::optional<Shifted> shifted(const Site& site, Ref ref) {
  const op::Binary* difference = site.binary(BinaryFn::sub, ref);
  const op::Reduce* max = difference ? site.reduce(ReduceFn::max, difference->b) : nullptr;
  const auto axis = one_axis(site, max);
  if (!axis || max->x != difference->a) return {};
  return Shifted{max->x, *axis};
}

// The e^(x - max) of Σ e^(x - max), and what that is of.
std::optional<Shifted> summed_powers(const Site& site, Ref powers, Ref sum) {
  const op::Reduce* reduce = site.reduce(ReduceFn::sum, sum);
  const op::Unary* exp = site.unary(UnaryFn::exp, powers);
  const auto found = exp && reduce && reduce->x == powers ? shifted(site, exp->x) : std::nullopt;
  return found && one_axis(site, reduce) == found->axis ? found : std::nullopt;
}

std::optional<Var> softmax_of(const Site& site, const std::optional<Shifted>& found, bool log) {
  if (!found) return {};
  return site.to().softmax(site(found->x), {.axis = found->axis, .log = log});
}

std::optional<Var> softmax(const op::Binary& op, const Site& site) {
  if (op.fn == BinaryFn::div) return softmax_of(site, summed_powers(site, op.a, op.b), false);
  if (op.fn != BinaryFn::mul) return {};
  for (const auto& [powers, inverse] : {std::pair(op.a, op.b), std::pair(op.b, op.a)}) {
    const op::Unary* one_over = site.unary(UnaryFn::reciprocal, inverse);
    const auto found = one_over ? summed_powers(site, powers, one_over->x) : std::nullopt;
    if (found) return softmax_of(site, found, false);
  }
  return {};
}

// x - max - log(Σ e^(x - max))
std::optional<Var> log_softmax(const op::Binary& op, const Site& site) {
  const op::Unary* log = op.fn == BinaryFn::sub ? site.unary(UnaryFn::log, op.b) : nullptr;
  const op::Reduce* sum = log ? site.reduce(ReduceFn::sum, log->x) : nullptr;
  const op::Unary* exp = sum ? site.unary(UnaryFn::exp, sum->x) : nullptr;
  if (!exp || exp->x != op.a) return {};
  return softmax_of(site, summed_powers(site, sum->x, log->x), true);
}

const Rule rules[] = {
    rule<layer_norm>("layer_norm", "(x - mean) / sqrt(var + eps) → layer_norm"),
    rule<rms_norm>("rms_norm", "x / sqrt(mean(x²) + eps) → rms_norm"),
    rule<layer_norm_weight>("layer_norm_weight", "layer_norm(x)·w → layer_norm(x, w)"),
    rule<layer_norm_bias>("layer_norm_bias", "layer_norm(x, w) + b → layer_norm(x, w, b)"),
    rule<rms_norm_weight>("rms_norm_weight", "rms_norm(x)·w → rms_norm(x, w)"),
    rule<softmax>("softmax", "e^(x - max) / Σ e^(x - max) → softmax"),
    rule<log_softmax>("log_softmax", "x - max - log(Σ e^(x - max)) → softmax with log"),
    rule<without_casts<op::LayerNorm, &op::LayerNorm::x>>("layer_norm_of_casts",
                                                          "f16 → f32, layer_norm, f32 → f16: layer_norm on f16"),
    rule<without_casts<op::RmsNorm, &op::RmsNorm::x>>("rms_norm_of_casts",
                                                      "f16 → f32, rms_norm, f32 → f16: rms_norm on f16"),
    rule<without_casts<op::Softmax, &op::Softmax::x>>("softmax_of_casts",
                                                      "f16 → f32, softmax, f32 → f16: softmax on f16"),
};

}  // namespace

std::span<const Rule> norm_rules() { return rules; }

}  // namespace ingot
