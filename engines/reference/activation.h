// Activations: numbers to numbers, in double.
//
// Threads    pure functions. Failure  none.
#pragma once

#include <cmath>

#include "program/activation.h"

namespace ingot::reference {

// 1 / (1 + e^-x), without overflow.
inline double sigmoid(double x) {
  const double e = std::exp(-std::abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}

// log(1 + e^x), without overflow.
inline double softplus(double x) { return std::fmax(x, 0) + std::log1p(std::exp(-std::abs(x))); }

// NaN gives NaN, whatever the parameters are.
double activate(ActivationFn fn, double x, const ActivationParameters& parameters);

}  // namespace ingot::reference
