// The parameters of activations: which of them have alpha and beta, and what they are by default. The functions of gates.
//
// Threads    pure functions. Failure  none.
#pragma once

#include <optional>

#include "gen/ops.h"

namespace ingot {

struct ActivationFacts {
  ActivationFn fn;
  std::optional<double> alpha = {}, beta = {};  // the defaults; none: there is no such parameter
};

// In the order of the enum.
inline constexpr ActivationFacts activation_facts[] = {
    {ActivationFn::elu, 1},
    {ActivationFn::selu, 1.67326319217681884765625, 1.05070102214813232421875},
    {ActivationFn::celu, 1},
    {ActivationFn::leaky_relu, 0.01},
    {ActivationFn::hard_sigmoid, 0.2, 0.5},
    {ActivationFn::hard_swish},
    {ActivationFn::hard_tanh, -1, 1},
    {ActivationFn::mish},
    {ActivationFn::softsign},
    {ActivationFn::squared_relu},
    {ActivationFn::thresholded_relu, 1, 0},
    {ActivationFn::hard_shrink, 0.5},
    {ActivationFn::soft_shrink, 0.5, 0.5},
    {ActivationFn::log_sigmoid},
    {ActivationFn::swish, 1},
    {ActivationFn::quick_gelu},
};

struct ActivationParameters {
  double alpha = 0, beta = 0;  // 0 where there is no such parameter
};

inline ActivationParameters parameters_of(const op::Activation& op) {
  const ActivationFacts& facts = activation_facts[static_cast<size_t>(op.fn)];
  const double alpha = op.alpha.value_or(facts.alpha.value_or(0));
  const double otherwise = op.fn == ActivationFn::soft_shrink ? alpha : facts.beta.value_or(0);
  return {alpha, op.beta.value_or(otherwise)};
}

struct GluFacts {
  GluFn fn;
  UnaryFn of_gate;
};

// In the order of the enum.
inline constexpr GluFacts glu_facts[] = {
    {GluFn::glu, UnaryFn::sigmoid},          {GluFn::swiglu, UnaryFn::silu}, {GluFn::geglu, UnaryFn::gelu},
    {GluFn::geglu_tanh, UnaryFn::gelu_tanh}, {GluFn::reglu, UnaryFn::relu},
};

inline UnaryFn function_of_gate(GluFn fn) { return glu_facts[static_cast<size_t>(fn)].of_gate; }

}  // namespace ingot
