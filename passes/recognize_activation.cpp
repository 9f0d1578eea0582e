// Activations: most are x·gate(x) with a number in front, and exporters multiply the three in every order.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "passes/product.h"
#include "passes/recognize.h"
#include "program/activation.h"

namespace ingot {
namespace {

constexpr double kSqrtHalf = std::numbers::sqrt2 / 2;
const double kSqrtTwoOverPi = std::numbers::sqrt2 / std::sqrt(std::numbers::pi);
constexpr double kCubic = 0.044715;  // of the approximation of gelu by tanh

// Whether the value is number·x.
bool is_multiple(const Site& site, Ref ref, double number, Ref x) {
  return product_of(site, ref, x).is(number, {x}, site.dtype(ref));
}

// x, where the root is number·x·gate and the gate is such a function of x.
template <class IsGate>
std::optional<Var> gated(const op::Binary& op, const Site& site, double number, const IsGate& is_gate) {
  if (op.fn != BinaryFn::mul && op.fn != BinaryFn::div) return {};
  const Multiple root = multiples_of(site, site.result()).back();
  const op::Binary* product = site.binary(BinaryFn::mul, root.of);
  if (!product) return {};
  for (const auto& [value, other] : {std::pair(product->a, product->b), std::pair(product->b, product->a)}) {
    if (site.type(value) != site.result_type()) continue;
    const Multiple gate = multiples_of(site, other).back();
    for (const Multiple& x : multiples_of(site, value)) {
      if (root.number * x.number * gate.number == number && is_gate(x.of, gate.of)) return site(x.of);
    }
  }
  return {};
}

// The x of 1 + exp(-x).
std::optional<Ref> in_sigmoid_divisor(const Site& site, Ref ref) {
  const std::optional<Ref> power = added_to(site, 1, ref);
  const op::Unary* exp = power ? site.unary(UnaryFn::exp, *power) : nullptr;
  if (!exp || site.type(exp->x) != site.result_type()) return {};
  const auto multiples = multiples_of(site, exp->x);
  const auto x = std::ranges::find(multiples, -1.0, &Multiple::number);
  return x != multiples.end() ? std::optional(x->of) : std::nullopt;
}

std::optional<Var> sigmoid_of(const Site& site, std::optional<Ref> x) {
  return x ? std::optional(site.to().sigmoid(site(*x))) : std::nullopt;
}

std::optional<Var> sigmoid_as_reciprocal(const op::Unary& op, const Site& site) {
  if (op.fn != UnaryFn::reciprocal) return {};
  return sigmoid_of(site, in_sigmoid_divisor(site, op.x));
}

std::optional<Var> sigmoid_as_quotient(const op::Binary& op, const Site& site) {
  if (op.fn != BinaryFn::div || !site.is_number(op.a, 1)) return {};
  return sigmoid_of(site, in_sigmoid_divisor(site, op.b));
}

std::optional<Var> silu_as_product(const op::Binary& op, const Site& site) {
  const auto of = gated(op, site, 1, [&](Ref x, Ref gate) {
    const op::Unary* sigmoid = site.unary(UnaryFn::sigmoid, gate);
    return sigmoid && sigmoid->x == x;
  });
  return of ? std::optional(site.to().silu(*of)) : std::nullopt;
}

std::optional<Var> silu_as_quotient(const op::Binary& op, const Site& site) {
  if (op.fn != BinaryFn::div || in_sigmoid_divisor(site, op.b) != op.a) return {};
  return site.to().silu(site(op.a));
}

std::optional<Var> quick_gelu(const op::Binary& op, const Site& site) {
  const auto of = gated(op, site, 1, [&](Ref x, Ref gate) {
    const op::Unary* sigmoid = site.unary(UnaryFn::sigmoid, gate);
    return sigmoid && is_multiple(site, sigmoid->x, 1.702, x);
  });
  return of ? std::optional(site.to().quick_gelu(*of)) : std::nullopt;
}

std::optional<Var> mish(const op::Binary& op, const Site& site) {
  const auto of = gated(op, site, 1, [&](Ref x, Ref gate) {
    const op::Unary* tanh = site.unary(UnaryFn::tanh, gate);
    const op::Unary* softplus = tanh ? site.unary(UnaryFn::softplus, tanh->x) : nullptr;
    return softplus && softplus->x == x;
  });
  return of ? std::optional(site.to().mish(*of)) : std::nullopt;
}

// x·hard_sigmoid(x), where that is clip(x/6 + 1/2, 0, 1)
std::optional<Var> hard_swish(const op::Binary& op, const Site& site) {
  const auto of = gated(op, site, 1, [&](Ref x, Ref gate) {
    const auto* hard = site.made_by<op::Activation>(gate);
    if (!hard || hard->fn != ActivationFn::hard_sigmoid || hard->x != x) return false;
    const ActivationParameters parameters = parameters_of(*hard);
    return is_rounded(parameters.alpha, 1.0 / 6, site.dtype(gate)) && parameters.beta == 0.5;
  });
  return of ? std::optional(site.to().hard_swish(*of)) : std::nullopt;
}

// The y of 1 + fn(y).
std::optional<Ref> in_one_plus(const Site& site, UnaryFn fn, Ref ref) {
  const std::optional<Ref> other = added_to(site, 1, ref);
  const op::Unary* found = other ? site.unary(fn, *other) : nullptr;
  return found ? std::optional(found->x) : std::nullopt;
}

// x·(1 + erf(x/√2))/2
std::optional<Var> gelu(const op::Binary& op, const Site& site) {
  const auto of = gated(op, site, 0.5, [&](Ref x, Ref gate) {
    const auto y = in_one_plus(site, UnaryFn::erf, gate);
    return y && is_multiple(site, *y, kSqrtHalf, x);
  });
  return of ? std::optional(site.to().gelu(*of)) : std::nullopt;
}

// Whether the value is x + 0.044715·x³.
bool is_cubic(const Site& site, Ref ref, Ref x) {
  const op::Binary* sum = site.binary(BinaryFn::add, ref);
  if (!sum || (sum->a != x && sum->b != x)) return false;
  return product_of(site, sum->a == x ? sum->b : sum->a, x).is(kCubic, {x, x, x}, site.dtype(ref));
}

// Whether the value is 1 + 0.044715·x².
bool is_cubic_over_x(const Site& site, Ref ref, Ref x) {
  const auto other = added_to(site, 1, ref);
  return other && product_of(site, *other, x).is(kCubic, {x, x}, site.dtype(ref));
}

// Whether the value is √(2/π)·(x + 0.044715·x³), perhaps with x in front.
bool is_argument_of_tanh(const Site& site, Ref ref, Ref x) {
  const Product product = product_of(site, ref, x);
  if (!is_rounded(product.number, kSqrtTwoOverPi, site.dtype(ref))) return false;
  if (product.factors.size() == 1) return is_cubic(site, product.factors[0], x);
  if (product.factors.size() != 2 || (product.factors[0] != x && product.factors[1] != x)) return false;
  return is_cubic_over_x(site, product.factors[product.factors[0] == x ? 1 : 0], x);
}

// x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2
std::optional<Var> gelu_tanh(const op::Binary& op, const Site& site) {
  const auto of = gated(op, site, 0.5, [&](Ref x, Ref gate) {
    const auto y = in_one_plus(site, UnaryFn::tanh, gate);
    return y && is_argument_of_tanh(site, *y, x);
  });
  return of ? std::optional(site.to().gelu_tanh(*of)) : std::nullopt;
}

// --------------------------------------------------------------------------------------------------- gated linear units

Var glu_of(const Site& site, GluFn fn, Ref value, Ref gate) {
  return site.to().add(op::Glu{.fn = fn, .value = site(value).ref(), .gate = site(gate).ref()})[0];
}

// Whether they are a value and a gate: neither a number nor one that gates itself, as in silu and swish.
bool is_gated_by(const Site& site, Ref value, Ref gate) {
  return !site.number(value) && gate != value && std::ranges::count(product_of(site, gate, value).factors, value) == 0;
}

// Where the second is fn(gate). One that others use too would be computed twice.
std::optional<Var> glu_by(const Site& site, Ref value, Ref activated) {
  const auto* unary = site.made_by<op::Unary>(activated);
  if (!unary || !site.used_once(activated) || !is_gated_by(site, value, unary->x)) return {};
  if (site.type(value) != site.type(activated)) return {};
  const auto* facts = std::ranges::find(glu_facts, unary->fn, &GluFacts::of_gate);
  return facts != std::end(glu_facts) ? std::optional(glu_of(site, facts->fn, value, unary->x)) : std::nullopt;
}

std::optional<Var> glu(const op::Binary& op, const Site& site) {
  if (op.fn != BinaryFn::mul || !is_real(site.result_type().dtype)) return {};
  const auto found = glu_by(site, op.a, op.b);
  return found ? found : glu_by(site, op.b, op.a);
}

// Where value·sigmoid(gate) was multiplied first.
std::optional<Var> swiglu_of_glu(const op::Binary& op, const Site& site) {
  if (op.fn != BinaryFn::mul) return {};
  for (const auto& [gate, inner] : {std::pair(op.a, op.b), std::pair(op.b, op.a)}) {
    const auto* gated = site.made_by<op::Glu>(inner);
    if (!gated || gated->fn != GluFn::glu || gated->gate != gate || !site.used_once(inner)) continue;
    return glu_of(site, GluFn::swiglu, gated->value, gate);
  }
  return {};
}

const Rule rules[] = {
    rule<sigmoid_as_reciprocal>("sigmoid_as_reciprocal", "reciprocal(1 + exp(-x)) → sigmoid"),
    rule<sigmoid_as_quotient>("sigmoid_as_quotient", "1 / (1 + exp(-x)) → sigmoid"),
    rule<silu_as_product>("silu_as_product", "x·sigmoid(x) → silu"),
    rule<silu_as_quotient>("silu_as_quotient", "x / (1 + exp(-x)) → silu"),
    rule<quick_gelu>("quick_gelu", "x·sigmoid(1.702·x) → quick_gelu"),
    rule<mish>("mish", "x·tanh(softplus(x)) → mish"),
    rule<hard_swish>("hard_swish", "x·hard_sigmoid(x) of slope 1/6 → hard_swish"),
    rule<gelu>("gelu", "x·(1 + erf(x/√2))/2 → gelu"),
    rule<gelu_tanh>("gelu_tanh", "x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))/2 → gelu_tanh"),
    rule<glu>("glu", "value·f(gate), f sigmoid, silu, gelu or relu → glu, swiglu, geglu, reglu"),
    rule<swiglu_of_glu>("swiglu_of_glu", "gate·glu(value, gate) → swiglu(value, gate)"),
};

}  // namespace

std::span<const Rule> activation_rules() { return rules; }

}  // namespace ingot
