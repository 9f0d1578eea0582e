// Inference of recurrent layers and scans.
#include "program/recurrent.h"

#include <array>

#include "program/decompose.h"
#include "program/infer.h"
#include "program/ops/heads.h"
#include "program/ops/ranges.h"

namespace ingot {
namespace {

DType promoted_real(const Scope& s, std::span<const std::optional<Ref>> operands) {
  DType dtype = s.type(*operands[0]).dtype;
  for (const auto& operand : operands) {
    if (operand) dtype = promote_or_refuse(s, dtype, s.type(*operand).dtype);
  }
  require_kind(s, "dtype of the operands", dtype, kinds::real);
  return dtype;
}

void require_shape(const Scope& s, std::string_view subject, const std::optional<Ref>& operand, const Shape& shape,
                   std::string_view why) {
  if (operand) require_type(s, subject, s.type(*operand), {s.type(*operand).dtype, shape, {}}, why);
}

// An operand that is read as it is, whatever real dtype the others have.
void require_real(const Scope& s, std::string_view subject, const std::optional<Ref>& operand, const Shape& shape,
                  std::string_view why) {
  if (!operand) return;
  require_kind(s, subject, s.type(*operand).dtype, kinds::real);
  require_shape(s, subject, operand, shape, why);
}

// What a scan hands on: a given state keeps its dtype, and one that begins at 0 is f32 at least.
DType state_dtype(const Scope& s, const std::optional<Ref>& state, DType result) {
  return state ? s.type(*state).dtype : widened(result);
}

// ---------------------------------------------------------------------------------------------------------- layers

// `given` has a number for each activation that takes one, or none at all.
void check_parameters(const Scope& s, std::string_view subject, const std::vector<double>& given,
                      const std::vector<RnnActivation>& activations,
                      std::optional<double> RnnActivationFacts::* parameter) {
  for (double value : given) require_finite(s, subject, value);
  if (given.empty()) return;
  size_t wanted = 0;
  for (RnnActivation fn : activations) wanted += (facts(fn).*parameter).has_value();
  require_count(s, fmt::format("number of {}", subject), given.size(), wanted, "activations that take one");
}

template <class O>
void check_activations(const O& op, const Scope& s, std::span<const RnnActivation> defaults) {
  const std::vector<RnnActivation> activations = all_activations(op.activations, defaults, op.direction);
  require_count(s, "number of activations", activations.size(),
                defaults.size() * static_cast<size_t>(direction_count(op.direction)),
                fmt::format("{} for each direction", defaults.size()));
  check_parameters(s, "alphas", op.alphas, activations, &RnnActivationFacts::alpha);
  check_parameters(s, "betas", op.betas, activations, &RnnActivationFacts::beta);
  if (op.clip) require_positive(s, "clip", *op.clip);
}

// The results of a layer with so many gates: every h, and the last one.
template <class O>
Types layer(const O& op, const Scope& s, int64_t gates, DType dtype) {
  const TensorType &x = s.type(op.x), &r = s.type(op.r);
  require_count(s, "rank of x", x.shape.size(), 3, "[T, B, I]");
  require_count(s, "rank of r", r.shape.size(), 3, gates == 1 ? "[D, H, H]" : fmt::format("[D, {}H, H]", gates));
  const Dim d = direction_count(op.direction), t = x.shape[0], b = x.shape[1], i = x.shape[2], h = r.shape[2];
  require_shape(s, "r", op.r, {d, gates * h, h}, "directions, gates, units");
  require_shape(s, "w", op.w, {d, gates * h, i}, "gates as r, inputs as x");
  require_shape(s, "bias", op.bias, {d, 2 * gates * h}, "for w, then for r");
  require_shape(s, "h0", op.h0, {d, b, h}, "[D, B, H]");
  if (op.lengths) {
    require_kind(s, "lengths", s.type(*op.lengths).dtype, kinds::integer);
    require_shape(s, "lengths", op.lengths, {b}, "rows of x");
  }
  return {{dtype, {t, d, b, h}, {}}, {dtype, {d, b, h}, {}}};
}

}  // namespace

static Types rule(const op::Rnn& op, const Scope& s) {
  const DType dtype = promoted_real(s, std::array<std::optional<Ref>, 5>{op.x, op.w, op.r, op.bias, op.h0});
  check_activations(op, s, kRnnActivations);
  return layer(op, s, 1, dtype);
}

static Types rule(const op::Gru& op, const Scope& s) {
  const DType dtype = promoted_real(s, std::array<std::optional<Ref>, 5>{op.x, op.w, op.r, op.bias, op.h0});
  check_activations(op, s, kGruActivations);
  return layer(op, s, 3, dtype);
}

static Types rule(const op::Lstm& op, const Scope& s) {
  const DType dtype =
      promoted_real(s, std::array<std::optional<Ref>, 7>{op.x, op.w, op.r, op.bias, op.h0, op.c0, op.peepholes});
  check_activations(op, s, kLstmActivations);
  Types types = layer(op, s, 4, dtype);
  const Shape last = types[1].shape;
  require_shape(s, "c0", op.c0, last, "[D, B, H]");
  require_shape(s, "peepholes", op.peepholes, {last[0], 3 * last[2]}, "for i, o and f");
  types.push_back(types[1]);
  return types;
}

// ----------------------------------------------------------------------------------------------------------- scans

static Types rule(const op::SelectiveScan& op, const Scope& s) {
  const TensorType &x = s.type(op.x), &a = s.type(op.a);
  require_kind(s, "x", x.dtype, kinds::real);
  require_count(s, "rank of x", x.shape.size(), 3, "[B, S, C]");
  require_count(s, "rank of a", a.shape.size(), 2, "[C, N]");
  const Dim &b = x.shape[0], &steps = x.shape[1], &c = x.shape[2], &n = a.shape[1];
  require_real(s, "delta", op.delta, x.shape, "as x");
  require_real(s, "a", op.a, {c, n}, "channels of x, any N");
  require_real(s, "b", op.b, {b, steps, n}, "[B, S, N]");
  require_real(s, "c", op.c, {b, steps, n}, "[B, S, N]");
  require_real(s, "d", op.d, {c}, "channels of x");
  require_real(s, "h0", op.h0, {b, c, n}, "[B, C, N]");
  return {x, {state_dtype(s, op.h0, x.dtype), {b, c, n}, {}}};
}

static Types rule(const op::GatedDelta& op, const Scope& s) {
  const TensorType &q = s.type(op.q), &k = s.type(op.k), &v = s.type(op.v);
  const DType dtype = promoted_real(s, std::array<std::optional<Ref>, 3>{op.q, op.k, op.v});
  require_count(s, "rank of q", q.shape.size(), 4, "[B, H, T, K]");
  require_same_sizes(s, "k", k.shape, q.shape, std::array<int64_t, 1>{1}, "as q");
  require_same_sizes(s, "v", v.shape, k.shape, std::array<int64_t, 1>{3}, "as k");
  check_heads(s, q.shape[1], k.shape[1]);
  const Shape steps(k.shape.begin(), k.shape.end() - 1), state{k.shape[0], k.shape[1], k.shape[3], v.shape[3]};
  if (op.g && s.type(*op.g).rank() == 4) {
    require_real(s, "g", op.g, k.shape, "as k");
  } else {
    require_real(s, "g", op.g, steps, "steps of k");
  }
  require_real(s, "beta", op.beta, steps, "steps of k");
  require_real(s, "state", op.state, state, "[B, G, K, V]");
  if (op.scale) require_finite(s, "scale", *op.scale);
  if (!op.scale) require_at_least(s, "size of the keys, without a scale,", k.shape[3], 1);
  return {{dtype, {q.shape[0], q.shape[1], q.shape[2], v.shape[3]}, {}}, {state_dtype(s, op.state, dtype), state, {}}};
}

INGOT_RULES(recurrent)

}  // namespace ingot
