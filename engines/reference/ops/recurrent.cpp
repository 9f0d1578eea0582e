// Recurrent layers and scans. States stay in double from step to step; one rounding, at the store.
#include "program/recurrent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engines/reference/activation.h"
#include "engines/reference/indexing.h"
#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// ------------------------------------------------------------------------------------------------------- activations

double cut(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

double apply(const CellFunction& f, double x) {
  switch (f.fn) {
    case RnnActivation::tanh: return std::tanh(x);
    case RnnActivation::sigmoid: return sigmoid(x);
    case RnnActivation::relu: return larger(x, 0.0);
    case RnnActivation::affine: return f.alpha * x + f.beta;
    case RnnActivation::leaky_relu: return x < 0 ? f.alpha * x : x;
    case RnnActivation::thresholded_relu: return x < f.alpha ? 0 : x;
    case RnnActivation::scaled_tanh: return f.alpha * std::tanh(f.beta * x);
    case RnnActivation::hard_sigmoid: return cut(f.alpha * x + f.beta, 0, 1);
    case RnnActivation::elu: return x < 0 ? f.alpha * std::expm1(x) : x;
    case RnnActivation::softsign: return x / (1 + std::abs(x));
    case RnnActivation::softplus: return softplus(x);
  }
  return x;
}

// ------------------------------------------------------------------------------------------------------------ layers

View<double> in_or(Frame& frame, const std::optional<Ref>& ref, DType dtype, double otherwise) {
  return ref ? frame.in<double>(*ref, dtype) : View<double>(otherwise);
}

// The operands that all layers have, with their sizes by the usual letters: x [T,B,I], w [D,rows,I], r [D,rows,H].
struct Layer {
  View<double> x, w, r, bias;
  int64_t b, i, rows, h;
  double clip;
  std::vector<CellFunction> functions;
  size_t each;  // functions of one direction

  template <class O>
  Layer(const O& op, Frame& frame, std::span<const RnnActivation> defaults)
      : x(frame.in<double>(op.x, frame.result_dtype())),
        w(frame.in<double>(op.w, frame.result_dtype())),
        r(frame.in<double>(op.r, frame.result_dtype())),
        bias(in_or(frame, op.bias, frame.result_dtype(), 0)),
        b(x.sizes()[1]),
        i(x.sizes()[2]),
        rows(r.sizes()[1]),
        h(r.sizes()[2]),
        clip(op.clip.value_or(std::numeric_limits<double>::infinity())),
        functions(cell_functions(all_activations(op.activations, defaults, op.direction), op.alphas, op.betas)),
        each(defaults.size()) {}

  // (x[t, row]·wᵀ + the first half of bias)[j]
  double from_input(int64_t d, int64_t t, int64_t row, int64_t j) const {
    double sum = bias[d * 2 * rows + j];
    for (int64_t k = 0; k < i; ++k) sum += x[(t * b + row) * i + k] * w[(d * rows + j) * i + k];
    return sum;
  }

  // (state·rᵀ + the second half of bias)[j]
  double from_state(int64_t d, const Scratch<double>& state, int64_t j) const {
    double sum = bias[(d * 2 + 1) * rows + j];
    for (int64_t k = 0; k < h; ++k) sum += state[static_cast<size_t>(k)] * r[(d * rows + j) * h + k];
    return sum;
  }

  // Activation number f of direction d, on what is cut to ±clip.
  double activate(int64_t d, size_t f, double sum) const {
    return apply(functions[static_cast<size_t>(d) * each + f], cut(sum, -clip, clip));
  }
};

// What one row keeps from step to step; c is lstm's alone.
struct CellState {
  Scratch<double> h, c;
};

void read_state(const View<double>& from, int64_t first, Scratch<double>& state) {
  for (size_t k = 0; k < state.size(); ++k) state[k] = from[first + static_cast<int64_t>(k)];
}

void store_state(const Out<double>& to, int64_t first, const Scratch<double>& state) {
  for (size_t k = 0; k < state.size(); ++k) to.store(first + static_cast<int64_t>(k), state[k]);
}

// Every h and the last one; step(d, t, row, state) is one step of one row in one direction. `c0` and the last c are
// lstm's alone.
template <class O, class Step>
void run_layer(const O& op, Frame& frame, const Layer& layer, const View<double>& c0, const Out<double>* last_c,
               Step&& step) {
  const Out<double> y = frame.zeros(0), last = frame.out(1);  // y stays 0 beyond a length
  const View<double> h0 = in_or(frame, op.h0, frame.result_dtype(), 0);
  const int64_t steps = y.sizes()[0], directions = y.sizes()[1], rows = y.sizes()[2], h = y.sizes()[3];
  if (last.size() == 0) return;
  const View<int64_t> lengths = lengths_of(frame, op.lengths, steps);
  frame.spend(element_count(Sizes{steps, directions, rows, layer.rows}), layer.i + h);
  CellState state{frame.scratch<double>(h), frame.scratch<double>(last_c ? h : 0)};
  for (int64_t d = 0; d < directions; ++d) {
    const bool backwards = d == 1 || op.direction == RnnDirection::reverse;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t first = (d * rows + row) * h, length = lengths[row];
      read_state(h0, first, state.h);
      read_state(c0, first, state.c);
      for (int64_t n = 0; n < length; ++n) {
        const int64_t t = backwards ? length - 1 - n : n;
        step(d, t, row, state);
        store_state(y, t * directions * rows * h + first, state.h);
      }
      store_state(last, first, state.h);
      if (last_c) store_state(*last_c, first, state.c);
    }
  }
}

}  // namespace

// h = f(x·wᵀ + h·rᵀ + b)
static void kernel(const op::Rnn& op, Frame& frame) {
  const Layer layer(op, frame, kRnnActivations);
  auto next = frame.scratch<double>(layer.h);
  run_layer(op, frame, layer, View<double>(0.0), nullptr, [&](int64_t d, int64_t t, int64_t row, CellState& state) {
    for (int64_t u = 0; u < layer.h; ++u) {
      const double sum = layer.from_input(d, t, row, u) + layer.from_state(d, state.h, u);
      next[static_cast<size_t>(u)] = layer.activate(d, 0, sum);
    }
    state.h = next;
  });
}

// z = f(x·wzᵀ + h·rzᵀ + b), r = f(x·wrᵀ + h·rrᵀ + b), h' = g(x·whᵀ + (r ∘ h)·rhᵀ + b), or with linear_before_reset
// g(x·whᵀ + b + r ∘ (h·rhᵀ + b)); h = (1 - z) ∘ h' + z ∘ h
static void kernel(const op::Gru& op, Frame& frame) {
  const Layer layer(op, frame, kGruActivations);
  const int64_t h = layer.h;
  auto update = frame.scratch<double>(h), reset = update, next = update, before = update;
  run_layer(op, frame, layer, View<double>(0.0), nullptr, [&](int64_t d, int64_t t, int64_t row, CellState& state) {
    const auto gate = [&](int64_t j) {
      return layer.activate(d, 0, layer.from_input(d, t, row, j) + layer.from_state(d, state.h, j));
    };
    for (int64_t u = 0; u < h; ++u) {
      const auto at = static_cast<size_t>(u);
      update[at] = gate(u);
      reset[at] = gate(h + u);
      before[at] = op.linear_before_reset ? state.h[at] : reset[at] * state.h[at];
    }
    for (int64_t u = 0; u < h; ++u) {
      const auto at = static_cast<size_t>(u);
      const double kept = layer.from_state(d, before, 2 * h + u) * (op.linear_before_reset ? reset[at] : 1);
      const double candidate = layer.activate(d, 1, layer.from_input(d, t, row, 2 * h + u) + kept);
      next[at] = (1 - update[at]) * candidate + update[at] * state.h[at];
    }
    state.h = next;
  });
}

// i = f(x·wiᵀ + h·riᵀ + pi ∘ c + b), f likewise or 1 - i, c = f ∘ c + i ∘ g(x·wcᵀ + h·rcᵀ + b),
// o = f(x·woᵀ + h·roᵀ + po ∘ c + b) with the new c, h = o ∘ h(c)
static void kernel(const op::Lstm& op, Frame& frame) {
  const Layer layer(op, frame, kLstmActivations);
  const View<double> peepholes = in_or(frame, op.peepholes, frame.result_dtype(), 0);
  const View<double> c0 = in_or(frame, op.c0, frame.result_dtype(), 0);
  const Out<double> last_c = frame.out(2);
  const int64_t h = layer.h;
  auto next = frame.scratch<double>(h);
  run_layer(op, frame, layer, c0, &last_c, [&](int64_t d, int64_t t, int64_t row, CellState& state) {
    for (int64_t u = 0; u < h; ++u) {
      double& c = state.c[static_cast<size_t>(u)];
      // Gate number j of i, o, f, c; the last has no peephole.
      const auto sum = [&](int64_t j) {
        const double peephole = op.peepholes && j != 3 ? peepholes[(d * 3 + j) * h + u] * c : 0;
        return layer.from_input(d, t, row, j * h + u) + layer.from_state(d, state.h, j * h + u) + peephole;
      };
      const double input = layer.activate(d, 0, sum(0));
      const double forget = op.input_forget ? 1 - input : layer.activate(d, 0, sum(2));
      c = forget * c + input * layer.activate(d, 1, sum(3));
      next[static_cast<size_t>(u)] = layer.activate(d, 0, sum(1)) * layer.activate(d, 2, c);
    }
    state.h = next;
  });
}

// ------------------------------------------------------------------------------------------------------------- scans

// h = exp(Δ·a) ∘ h + Δ·b·x, y = Σ c·h + d·x for each step of each channel
static void kernel(const op::SelectiveScan& op, Frame& frame) {
  const auto x = frame.in(op.x), delta = frame.in(op.delta), a = frame.in(op.a), b = frame.in(op.b), c = frame.in(op.c);
  const auto d = frame.in_or(op.d, 0), h0 = frame.in_or(op.h0, 0);
  const auto y = frame.out(0), last = frame.out(1);
  const int64_t steps = x.sizes()[1], channels = x.sizes()[2], n = a.sizes()[1];
  if (y.size() == 0 && last.size() == 0) return;
  frame.spend(x.size(), n);
  auto state = frame.scratch<double>(n);
  for (int64_t lane = 0, lanes = x.sizes()[0] * channels; lane < lanes; ++lane) {
    const int64_t row = lane / channels, channel = lane % channels;
    for (int64_t k = 0; k < n; ++k) state[static_cast<size_t>(k)] = h0[lane * n + k];
    for (int64_t t = row * steps; t < (row + 1) * steps; ++t) {
      const double in = x[t * channels + channel], by = delta[t * channels + channel];
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) {
        double& h = state[static_cast<size_t>(k)];
        h = std::exp(by * a[channel * n + k]) * h + by * b[t * n + k] * in;
        sum += c[t * n + k] * h;
      }
      y.store(t * channels + channel, op.d ? sum + d[channel] * in : sum);
    }
    for (int64_t k = 0; k < n; ++k) last.store(lane * n + k, state[static_cast<size_t>(k)]);
  }
}

namespace {

// One S [K,V], and the products that a step takes of it.
struct Memory {
  int64_t keys, values;
  Scratch<double> s;

  double& at(int64_t k, int64_t v) { return s[static_cast<size_t>(k * values + v)]; }
  // (Sᵀx)[v] for the x of K elements at `first`
  double recalled(const View<double>& x, int64_t first, int64_t v) {
    double sum = 0;
    for (int64_t k = 0; k < keys; ++k) sum += at(k, v) * x[first + k];
    return sum;
  }
};

}  // namespace

// S = e^g ∘ S, u = beta·(v - Sᵀk) or beta·v, S = S + k·uᵀ, o = scale·Sᵀq for each step of each head
static void kernel(const op::GatedDelta& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const auto q = frame.in<double>(op.q, dtype), k = frame.in<double>(op.k, dtype), v = frame.in<double>(op.v, dtype);
  const auto g = frame.in_or(op.g, 0), beta = frame.in_or(op.beta, 1), first = frame.in_or(op.state, 0);
  const auto o = frame.out(0), last = frame.out(1);
  if (o.size() == 0 && last.size() == 0) return;
  const int64_t heads = last.sizes()[1], steps = o.sizes()[2], keys = last.sizes()[2], values = last.sizes()[3];
  const int64_t sharing = o.sizes()[1] / heads;  // heads of q for each of k
  const int64_t lanes = last.sizes()[0] * heads;
  const double scale = op.scale ? *op.scale : 1 / std::sqrt(static_cast<double>(keys));
  const int64_t decays = op.g && g.sizes().size() == 4 ? keys : 1;  // numbers of g for each step
  frame.spend(element_count(Sizes{lanes, steps, keys, values}), 3 + sharing);

  Memory memory{keys, values, frame.scratch<double>(keys * values)};
  for (int64_t lane = 0; lane < lanes; ++lane) {
    read_state(first, lane * keys * values, memory.s);
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t step = lane * steps + t;
      for (int64_t c = 0; c < values; ++c) {
        for (int64_t r = 0; r < keys; ++r) memory.at(r, c) *= std::exp(g[step * decays + (decays == 1 ? 0 : r)]);
        const double known = op.delta ? memory.recalled(k, step * keys, c) : 0;
        const double update = beta[step] * (v[step * values + c] - known);
        for (int64_t r = 0; r < keys; ++r) memory.at(r, c) += k[step * keys + r] * update;
      }
      for (int64_t i = 0; i < sharing; ++i) {
        const int64_t query = (lane * sharing + i) * steps + t;
        for (int64_t c = 0; c < values; ++c) o.store(query * values + c, scale * memory.recalled(q, query * keys, c));
      }
    }
    store_state(last, lane * keys * values, memory.s);
  }
}

INGOT_KERNELS(recurrent)

}  // namespace ingot::reference
