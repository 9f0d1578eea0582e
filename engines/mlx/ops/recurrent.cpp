// Recurrent layers and scans, unrolled along the time axis. What does not depend on the state is computed for all steps
// at once; states stay in f32, or f64, from step to step.
#include "program/recurrent.h"

#include <algorithm>
#include <cmath>
#include <ranges>
#include <utility>

#include "engines/mlx/cast.h"
#include "engines/mlx/indexing.h"
#include "engines/mlx/libm.h"
#include "engines/mlx/lowering.h"
#include "program/decompose.h"

namespace ingot::mlx_engine {
namespace {

// Equal parts along an axis. Precondition: at least one.
std::vector<array> parts_of(const array& x, int64_t count, int axis, mx::Stream s) {
  if (count == 1) return {x};
  return mx::split(x, static_cast<int>(count), axis, s);
}

array joined(std::vector<array> parts, int axis, mx::Stream s) {
  return parts.size() == 1 ? parts[0] : mx::concatenate(std::move(parts), axis, s);
}

// Number d along the first axis, which goes.
array entry(const array& x, int d, mx::Stream s) {
  if (x.shape(0) == 1) return mx::squeeze(x, 0, s);
  mx::Shape start(x.ndim(), 0), stop = x.shape();
  start[0] = d;
  stop[0] = d + 1;
  return mx::squeeze(mx::slice(x, start, stop, s), 0, s);
}

// ------------------------------------------------------------------------------------------------------- activations

array affine(const CellFunction& f, const array& x, mx::Stream s) {
  return mx::add(mx::multiply(number(f.alpha, x), x, s), number(f.beta, x), s);
}

// `otherwise` where x < limit; NaN is not.
array below(const array& x, double limit, const array& otherwise, mx::Stream s) {
  return mx::where(mx::less(x, number(limit, x), s), otherwise, x, s);
}

// log(1 + e^x), without overflow.
array softplus(const array& x, mx::Stream s) {
  const array small = exp(mx::negative(mx::abs(x, s), s), s);
  return mx::add(mx::maximum(x, number(0, x), s), mx::log1p(small, s), s);
}

array apply(const CellFunction& f, const array& x, mx::Stream s) {
  const array alpha = number(f.alpha, x), zero = number(0, x), one = number(1, x);
  switch (f.fn) {
    case RnnActivation::tanh: return mx::tanh(x, s);
    case RnnActivation::sigmoid: return sigmoid(x, s);
    case RnnActivation::relu: return mx::maximum(x, zero, s);
    case RnnActivation::affine: return affine(f, x, s);
    case RnnActivation::leaky_relu: return below(x, 0, mx::multiply(alpha, x, s), s);
    case RnnActivation::thresholded_relu: return below(x, f.alpha, zero, s);
    case RnnActivation::scaled_tanh: return mx::multiply(alpha, mx::tanh(mx::multiply(number(f.beta, x), x, s), s), s);
    case RnnActivation::hard_sigmoid: return mx::clip(affine(f, x, s), zero, one, s);
    case RnnActivation::elu: return below(x, 0, mx::multiply(alpha, mx::expm1(x, s), s), s);
    case RnnActivation::softsign: return mx::divide(x, mx::add(one, mx::abs(x, s), s), s);
    case RnnActivation::softplus: return softplus(x, s);
  }
  return x;
}

// What MLX's graph has of a step, at most.
constexpr int64_t arrays_of_step = 48;

// ------------------------------------------------------------------------------------------------------------ layers

// What all rows keep from step to step, [B,H] each; c is lstm's alone.
struct CellState {
  array h;
  std::optional<array> c;
};

// The state after step t.
using Step = std::function<CellState(size_t t, const CellState& state)>;

// The operands of one direction, for a step: w and r transposed, the halves of bias, and its activations.
struct Cell {
  mx::Stream s;
  array w, r;                                   // [I,rows], [H,rows]
  std::optional<array> input_bias, state_bias;  // [rows]
  std::span<const CellFunction> functions;
  std::optional<double> clip;

  // Activation number f, on what is cut to ±clip.
  array activate(size_t f, const array& sum) const {
    if (!clip) return apply(functions[f], sum, s);
    return apply(functions[f], mx::clip(sum, number(-*clip, sum), number(*clip, sum), s), s);
  }
  // Columns [first, end) of a matrix, or elements of a vector, counted in gates of h units.
  array gates(const array& of, int first, int end) const {
    const int h = r.shape(0);
    mx::Shape start(of.ndim(), 0), stop = of.shape();
    start.back() = first * h;
    stop.back() = end * h;
    return mx::slice(of, start, stop, s);
  }
};

array product(const std::optional<array>& bias, const array& a, const array& b, mx::Stream s) {
  return bias ? mx::addmm(*bias, a, b, 1, 1, s) : mx::matmul(a, b, s);
}

std::optional<array> sum(const std::optional<array>& a, const std::optional<array>& b, mx::Stream s) {
  return a ? mx::add(*a, *b, s) : a;
}

// An operand in what the layer computes in.
array wide_in(const Frame& frame, Ref ref) {
  const DType dtype = frame.result_dtype();
  return mx::astype(frame.in(ref, dtype), to_mlx(widened(dtype)), frame.stream());
}

array first_state(const Frame& frame, const std::optional<Ref>& ref) {
  if (ref) return wide_in(frame, *ref);
  return mx::zeros(frame.result_shape(1), to_mlx(widened(frame.result_dtype())), frame.stream());
}

template <class O>
Cell cell_of(const O& op, const Frame& frame, int d, std::span<const CellFunction> functions) {
  const mx::Stream s = frame.stream();
  const auto of_direction = [&](Ref ref) { return entry(wide_in(frame, ref), d, s); };
  Cell cell{s, mx::transpose(of_direction(op.w), s), mx::transpose(of_direction(op.r), s), {}, {}, functions, op.clip};
  if (op.bias) {
    const std::vector<array> halves = mx::split(of_direction(*op.bias), 2, 0, s);
    cell.input_bias = halves[0];
    cell.state_bias = halves[1];
  }
  return cell;
}

// New where a row is active, old where it is not.
CellState selected(const array& active, const CellState& now, const CellState& before, mx::Stream s) {
  CellState result{mx::where(active, now.h, before.h, s), {}};
  if (now.c) result.c = mx::where(active, *now.c, *before.c, s);
  return result;
}

// Whether each row is active, for all steps: [T·B,1].
array activity(Frame& frame, Ref lengths, int64_t steps) {
  const mx::Stream s = frame.stream();
  const array counts = lengths_of(frame, frame.in(lengths), steps);
  const array at = mx::reshape(mx::arange(0, static_cast<int>(steps), counts.dtype(), s), {-1, 1}, s);
  return mx::reshape(mx::less(at, counts, s), {-1, 1}, s);
}

// The steps of one direction: every h, in the order of time, and the state that is left. Rows that are not active keep
// theirs; all are where `active` is empty.
struct Track {
  std::vector<array> every_h;
  CellState last;
};

Track run_steps(const Step& step, CellState state, size_t steps, bool backwards, const std::vector<array>& active,
                mx::Stream s) {
  Track track{{}, std::move(state)};
  for (size_t n = 0; n < steps; ++n) {
    const size_t t = backwards ? steps - 1 - n : n;
    const CellState next = step(t, track.last);
    track.last = active.empty() ? next : selected(active[t], next, track.last, s);
    track.every_h.push_back(track.last.h);
  }
  if (backwards) std::ranges::reverse(track.every_h);
  return track;
}

// Every h, the last one, and with `has_c` the last c. step_of(cell, x, d) is the step of one direction, for x [T·B,I].
template <class O, class StepOf>
std::vector<array> run_layer(const O& op, Frame& frame, std::span<const RnnActivation> defaults, bool has_c,
                             const std::optional<Ref>& c0, StepOf&& step_of) {
  const mx::Stream s = frame.stream();
  const Sizes sizes = frame.result_sizes(), of_x = frame.sizes(op.x), of_r = frame.sizes(op.r);
  const int64_t steps = sizes[0], directions = sizes[1], rows = sizes[2], h = sizes[3];
  std::vector<array> results;
  for (uint32_t i = 0; i < frame.result_count(); ++i) results.push_back(frame.result_zeros(i));
  if (frame.result_is_empty(1)) return results;
  std::optional<array> active;
  if (op.lengths) active = activity(frame, *op.lengths, steps);
  const std::vector<array> active_at = active && steps > 0 ? parts_of(*active, steps, 0, s) : std::vector<array>{};
  frame.spend(static_cast<uint64_t>(element_count(Sizes{steps, directions, rows, of_r[1], of_x[2] + h})));
  frame.require_recordable(steps, arrays_of_step * directions);

  const array x = mx::reshape(wide_in(frame, op.x), to_mlx({steps * rows, of_x[2]}), s);
  const array first_h = first_state(frame, op.h0), first_c = first_state(frame, c0);
  const auto functions = cell_functions(all_activations(op.activations, defaults, op.direction), op.alphas, op.betas);
  std::vector<array> every_h, last_h, last_c;
  for (int d = 0; d < directions; ++d) {
    const Cell cell = cell_of(op, frame, d, std::span(functions).subspan(static_cast<size_t>(d) * defaults.size()));
    const bool backwards = d == 1 || op.direction == RnnDirection::reverse;
    CellState first{entry(first_h, d, s), {}};
    if (has_c) first.c = entry(first_c, d, s);
    const Step step = steps > 0 ? step_of(cell, x, d) : Step();
    Track track = run_steps(step, first, static_cast<size_t>(steps), backwards, active_at, s);
    if (steps > 0) {
      array y = joined(std::move(track.every_h), 0, s);
      if (active) y = mx::where(*active, y, number(0, y), s);
      every_h.push_back(mx::reshape(y, to_mlx({steps, 1, rows, h}), s));
    }
    last_h.push_back(mx::reshape(track.last.h, to_mlx({1, rows, h}), s));
    if (has_c) last_c.push_back(mx::reshape(*track.last.c, to_mlx({1, rows, h}), s));
  }
  const auto stored = [&](std::vector<array> of_directions, int axis) {
    return mx::astype(joined(std::move(of_directions), axis, s), to_mlx(frame.result_dtype()), s);
  };
  if (steps > 0) results[0] = stored(std::move(every_h), 1);
  results[1] = stored(std::move(last_h), 0);
  if (has_c) results[2] = stored(std::move(last_c), 0);
  return results;
}

// h = f(x·wᵀ + h·rᵀ + b)
std::vector<array> emit(const op::Rnn& op, Frame& frame) {
  const auto steps = frame.result_sizes()[0];
  return run_layer(op, frame, kRnnActivations, false, {}, [&](const Cell& cell, const array& x, int) -> Step {
    const mx::Stream s = cell.s;
    const array inputs = product(sum(cell.input_bias, cell.state_bias, s), x, cell.w, s);
    return [&cell, at = parts_of(inputs, steps, 0, s)](size_t t, const CellState& state) {
      return CellState{cell.activate(0, product(at[t], state.h, cell.r, cell.s)), {}};
    };
  });
}

// z = f(x·wzᵀ + h·rzᵀ + b), r = f(x·wrᵀ + h·rrᵀ + b), h' = g(x·whᵀ + (r ∘ h)·rhᵀ + b), or with linear_before_reset
// g(x·whᵀ + b + r ∘ (h·rhᵀ + b)); h = (1 - z) ∘ h' + z ∘ h
std::vector<array> emit(const op::Gru& op, Frame& frame) {
  const auto steps = frame.result_sizes()[0];
  return run_layer(op, frame, kGruActivations, false, {}, [&](const Cell& cell, const array& x, int) -> Step {
    const mx::Stream s = cell.s;
    const std::optional<array> both = sum(cell.input_bias, cell.state_bias, s);
    const auto inputs = [&](const std::optional<array>& bias, int first, int end) {
      const std::optional<array> of_gates = bias ? std::optional(cell.gates(*bias, first, end)) : bias;
      return parts_of(product(of_gates, x, cell.gates(cell.w, first, end), s), steps, 0, s);
    };
    const array of_gates = cell.gates(cell.r, 0, 2), of_candidate = cell.gates(cell.r, 2, 3);
    std::optional<array> kept_bias;
    if (op.linear_before_reset && cell.state_bias) kept_bias = cell.gates(*cell.state_bias, 2, 3);
    const bool linear = op.linear_before_reset;
    return [=, &cell, gates_at = inputs(both, 0, 2), candidate_at = inputs(linear ? cell.input_bias : both, 2, 3)](
               size_t t, const CellState& state) {
      const array& h = state.h;
      const array gates = cell.activate(0, product(gates_at[t], h, of_gates, s));
      const std::vector<array> z_r = mx::split(gates, 2, -1, s);
      const array& z = z_r[0];
      const array& r = z_r[1];
      const array sums = linear
                             ? mx::add(candidate_at[t], mx::multiply(r, product(kept_bias, h, of_candidate, s), s), s)
                             : product(candidate_at[t], mx::multiply(r, h, s), of_candidate, s);
      const array fresh = mx::multiply(mx::subtract(number(1, z), z, s), cell.activate(1, sums), s);
      return CellState{mx::add(fresh, mx::multiply(z, h, s), s), {}};
    };
  });
}

// i = f(x·wiᵀ + h·riᵀ + pi ∘ c + b), f likewise or 1 - i, c = f ∘ c + i ∘ g(x·wcᵀ + h·rcᵀ + b),
// o = f(x·woᵀ + h·roᵀ + po ∘ c + b) with the new c, h = o ∘ h(c)
std::vector<array> emit(const op::Lstm& op, Frame& frame) {
  const auto steps = frame.result_sizes()[0];
  return run_layer(op, frame, kLstmActivations, true, op.c0, [&](const Cell& cell, const array& x, int d) -> Step {
    const mx::Stream s = cell.s;
    const array inputs = product(sum(cell.input_bias, cell.state_bias, s), x, cell.w, s);
    std::vector<array> peepholes;  // of i, o and f
    if (op.peepholes) peepholes = mx::split(entry(wide_in(frame, *op.peepholes), d, s), 3, 0, s);
    return [=, &cell, coupled = op.input_forget, at = parts_of(inputs, steps, 0, s)](size_t t, const CellState& state) {
      const array& before = *state.c;
      const array sums = product(at[t], state.h, cell.r, s);
      const array candidate = cell.activate(1, cell.gates(sums, 3, 4));
      // Without peepholes the three gates are one array up to here.
      const std::vector<array> parts =
          mx::split(peepholes.empty() ? cell.activate(0, cell.gates(sums, 0, 3)) : cell.gates(sums, 0, 3), 3, -1, s);
      const auto gate = [&](size_t number, const array& c) {
        if (peepholes.empty()) return parts[number];
        return cell.activate(0, mx::add(parts[number], mx::multiply(peepholes[number], c, s), s));
      };
      const array input = gate(0, before);
      const array forget = coupled ? mx::subtract(number(1, input), input, s) : gate(2, before);
      const array c = mx::add(mx::multiply(forget, before, s), mx::multiply(input, candidate, s), s);
      return CellState{mx::multiply(gate(1, c), cell.activate(2, c), s), c};
    };
  });
}

// ------------------------------------------------------------------------------------------------------------- scans

// What a scan computes in: f64 where an operand is.
mx::Dtype scan_dtype(const Frame& frame, std::initializer_list<std::optional<Ref>> operands) {
  const auto is_f64 = [&](const std::optional<Ref>& ref) { return ref && frame.dtype(*ref) == DType::f64; };
  return std::ranges::any_of(operands, is_f64) ? mx::float64 : mx::float32;
}

// h = exp(Δ·a) ∘ h + Δ·b·x, y = Σ c·h + d·x for each step of each channel. The state is [B,1,C,N] here, so that the
// parts along the axis of steps need no other shape.
std::vector<array> emit(const op::SelectiveScan& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const mx::Dtype wide = scan_dtype(frame, {op.x, op.delta, op.a, op.b, op.c, op.d, op.h0});
  const Sizes of_x = frame.sizes(op.x), last = frame.result_sizes(1);
  const int64_t batch = of_x[0], steps = of_x[1], channels = of_x[2], n = last[2];
  const auto in = [&](Ref ref) { return mx::astype(frame.in(ref), wide, s); };
  const auto in_shape = [&](Ref ref, const Sizes& sizes) { return mx::reshape(in(ref), to_mlx(sizes), s); };
  const Sizes of_state{batch, 1, channels, n};
  array state = op.h0 ? in_shape(*op.h0, of_state) : mx::zeros(to_mlx(of_state), wide, s);
  array y = mx::zeros(to_mlx(of_x), wide, s);
  if (steps > 0 && element_count(last) > 0) {
    frame.spend(static_cast<uint64_t>(element_count(Sizes{batch, steps, channels, n})));
    frame.require_recordable(steps, arrays_of_step);
    const Sizes by_channel{batch, steps, channels, 1};
    const array delta = in_shape(op.delta, by_channel);
    const auto at = [&](const array& x) { return parts_of(x, steps, 1, s); };
    const auto delta_at = at(delta), x_at = at(mx::multiply(delta, in_shape(op.x, by_channel), s));
    const auto b_at = at(in_shape(op.b, {batch, steps, 1, n})), c_at = at(in_shape(op.c, {batch, steps, n, 1}));
    const array a = in(op.a);
    std::vector<array> all;
    for (size_t t = 0; t < static_cast<size_t>(steps); ++t) {
      const array kept = mx::multiply(exp(mx::multiply(delta_at[t], a, s), s), state, s);
      state = mx::add(kept, mx::multiply(x_at[t], b_at[t], s), s);
      all.push_back(mx::matmul(state, c_at[t], s));
    }
    y = mx::reshape(joined(std::move(all), 1, s), to_mlx(of_x), s);
  }
  if (op.d) y = mx::add(y, mx::multiply(in(*op.d), in(op.x), s), s);
  return {mx::astype(y, to_mlx(frame.result_dtype(0)), s),
          mx::astype(mx::reshape(state, to_mlx(last), s), to_mlx(frame.result_dtype(1)), s)};
}

// S = e^g ∘ S, u = beta·(v - Sᵀk) or beta·v, S = S + k·uᵀ, o = scale·Sᵀq for each step of each head. S is [B,G,1,K,V]
// here, so that the parts along the axis of steps need no other shape.
std::vector<array> emit(const op::GatedDelta& op, Frame& frame) {
  const mx::Stream s = frame.stream();
  const mx::Dtype wide = scan_dtype(frame, {op.q, op.k, op.v, op.g, op.beta, op.state});
  const Sizes of_o = frame.result_sizes(0), last = frame.result_sizes(1);
  const int64_t batch = last[0], heads = last[1], keys = last[2], values = last[3], steps = of_o[2];
  const auto in_shape = [&](const array& x, const Sizes& sizes) {
    return mx::reshape(mx::astype(x, wide, s), to_mlx(sizes), s);
  };
  const Sizes of_state{batch, heads, 1, keys, values};
  array state = op.state ? in_shape(frame.in(*op.state), of_state) : mx::zeros(to_mlx(of_state), wide, s);
  array o = mx::zeros(to_mlx(of_o), wide, s);
  if (steps > 0 && element_count(last) > 0) {
    const int64_t sharing = of_o[1] / heads;  // heads of q for each of k
    frame.spend(static_cast<uint64_t>(element_count(Sizes{batch, heads, steps, keys, values, 3 + sharing})));
    frame.require_recordable(steps, arrays_of_step);
    const DType dtype = frame.result_dtype(0);
    const double scale = op.scale ? *op.scale : 1 / std::sqrt(static_cast<double>(keys));
    const auto at = [&](const array& x) { return parts_of(x, steps, 2, s); };
    const auto per_step = [&](const array& x, int64_t rows, int64_t columns) {
      return at(in_shape(x, {batch, heads, steps, rows, columns}));
    };
    const array q = in_shape(frame.in(op.q, dtype), {batch, heads, sharing, steps, keys});
    const auto q_at = at(mx::multiply(mx::swapaxes(q, 2, 3, s), number(scale, q), s));
    const array k = frame.in(op.k, dtype);
    const auto row_at = per_step(k, 1, keys), column_at = per_step(k, keys, 1);
    const array v = in_shape(frame.in(op.v, dtype), {batch, heads, steps, 1, values});
    const auto of_steps = [&](const array& x) { return in_shape(x, {batch, heads, steps, 1, 1}); };
    std::optional<array> beta;
    if (op.beta) beta = of_steps(frame.in(*op.beta));
    // Without delta u does not depend on the state.
    const auto v_at = at(beta && !op.delta ? mx::multiply(*beta, v, s) : v);
    std::vector<array> beta_at, decay_at;
    if (beta && op.delta) beta_at = at(*beta);
    if (op.g) {
      const array& g = frame.in(*op.g);
      decay_at = at(exp(g.ndim() == 4 ? in_shape(g, {batch, heads, steps, keys, 1}) : of_steps(g), s));
    }
    std::vector<array> all;
    for (size_t t = 0; t < static_cast<size_t>(steps); ++t) {
      if (op.g) state = mx::multiply(decay_at[t], state, s);
      array update = v_at[t];
      if (op.delta) update = mx::subtract(update, mx::matmul(row_at[t], state, s), s);
      if (!beta_at.empty()) update = mx::multiply(beta_at[t], update, s);
      state = mx::add(state, mx::multiply(column_at[t], update, s), s);
      all.push_back(mx::matmul(q_at[t], state, s));
    }
    o = mx::reshape(mx::swapaxes(joined(std::move(all), 2, s), 2, 3, s), to_mlx(of_o), s);
  }
  return {mx::astype(o, to_mlx(frame.result_dtype(0)), s),
          mx::astype(mx::reshape(state, to_mlx(last), s), to_mlx(frame.result_dtype(1)), s)};
}

}  // namespace

INGOT_LOWERINGS(recurrent)

}  // namespace ingot::mlx_engine
