#include "engines/reference/activation.h"

#include "engines/reference/numbers.h"

namespace ingot::reference {

// min(max(x, low), high)
static double clip(double x, double low, double high) { return smaller(larger(x, low), high); }

double activate(ActivationFn fn, double x, const ActivationParameters& parameters) {
  const auto [alpha, beta] = parameters;
  switch (fn) {
    case ActivationFn::elu: return x > 0 ? x : alpha * std::expm1(x);
    case ActivationFn::selu: return beta * (x > 0 ? x : alpha * std::expm1(x));
    case ActivationFn::celu: return x > 0 ? x : alpha * std::expm1(x / alpha);
    case ActivationFn::leaky_relu: return x < 0 ? alpha * x : x;
    case ActivationFn::hard_sigmoid: return clip(alpha * x + beta, 0, 1);
    case ActivationFn::hard_swish: return x * clip(x / 6 + 0.5, 0, 1);
    case ActivationFn::hard_tanh: return clip(x, alpha, beta);
    case ActivationFn::mish: return x * std::tanh(softplus(x));
    case ActivationFn::softsign: return x / (1 + std::abs(x));
    case ActivationFn::squared_relu: return x <= 0 ? 0 : x * x;
    case ActivationFn::thresholded_relu: return x <= alpha ? beta : x;
    case ActivationFn::hard_shrink: return std::abs(x) <= alpha ? 0 : x;
    case ActivationFn::soft_shrink: return x < -alpha ? x + beta : x > alpha ? x - beta : std::isnan(x) ? x : 0;
    case ActivationFn::log_sigmoid: return -softplus(-x);
    case ActivationFn::swish: return x * sigmoid(alpha * x);
    case ActivationFn::quick_gelu: return x * sigmoid(1.702 * x);
  }
  return x;
}

}  // namespace ingot::reference
