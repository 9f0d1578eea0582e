// Optimizer steps. Everything in double; one rounding, at the store, so that p sees the moments before theirs.
#include <cmath>

#include "engines/reference/kernel.h"

namespace ingot::reference {
namespace {

double sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }

}  // namespace

// m = beta1·m + (1 - beta1)·g, v = beta2·v + (1 - beta2)·g²,
// p = p·(1 - lr·weight_decay) - lr·(m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + eps)
static void kernel(const op::AdamwStep& op, Frame& frame) {
  const auto p = frame.in(op.p), g = frame.in(op.g), m = frame.in(op.m), v = frame.in(op.v);
  const double step = frame.in<double>(op.step, DType::f64)[0], lr = frame.in(op.lr)[0];
  const double correction1 = 1 - std::pow(op.beta1, step), correction2 = 1 - std::pow(op.beta2, step);
  const auto new_p = frame.out(0), new_m = frame.out(1), new_v = frame.out(2);
  for (int64_t i = 0, n = p.size(); i < n; ++i) {
    const double first = op.beta1 * m[i] + (1 - op.beta1) * g[i];
    const double second = op.beta2 * v[i] + (1 - op.beta2) * g[i] * g[i];
    const double root = std::sqrt(second / correction2) + op.eps;
    new_p.store(i, p[i] * (1 - lr * op.weight_decay) - lr * (first / correction1) / root);
    new_m.store(i, first);
    new_v.store(i, second);
  }
}

// p = p·(1 - lr·weight_decay) - lr·sign(beta1·m + (1 - beta1)·g), m = beta2·m + (1 - beta2)·g
static void kernel(const op::LionStep& op, Frame& frame) {
  const auto p = frame.in(op.p), g = frame.in(op.g), m = frame.in(op.m);
  const double lr = frame.in(op.lr)[0];
  const auto new_p = frame.out(0), new_m = frame.out(1);
  for (int64_t i = 0, n = p.size(); i < n; ++i) {
    const double direction = sign(op.beta1 * m[i] + (1 - op.beta1) * g[i]);
    new_p.store(i, p[i] * (1 - lr * op.weight_decay) - lr * direction);
    new_m.store(i, op.beta2 * m[i] + (1 - op.beta2) * g[i]);
  }
}

// d = g + weight_decay·p, m = momentum·m + (1 - dampening)·d, p = p - lr·m, with nesterov p - lr·(d + momentum·m)
static void kernel(const op::SgdStep& op, Frame& frame) {
  const auto p = frame.in(op.p), g = frame.in(op.g), m = frame.in(op.m);
  const double lr = frame.in(op.lr)[0];
  const auto new_p = frame.out(0), new_m = frame.out(1);
  for (int64_t i = 0, n = p.size(); i < n; ++i) {
    const double d = g[i] + op.weight_decay * p[i], next = op.momentum * m[i] + (1 - op.dampening) * d;
    new_p.store(i, p[i] - lr * (op.nesterov ? d + op.momentum * next : next));
    new_m.store(i, next);
  }
}

INGOT_KERNELS(optimizer)

}  // namespace ingot::reference
