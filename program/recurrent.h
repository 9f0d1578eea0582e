// Recurrent layers: what the attributes of rnn, gru and lstm say, for inference and engines alike.
//
// Threads    pure functions. Failure  none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gen/enums.h"

namespace ingot {

// The defaults of the parameters of an activation; none where it has no such parameter.
struct RnnActivationFacts {
  std::optional<double> alpha, beta;
};

const RnnActivationFacts& facts(RnnActivation fn);

// The activations of one direction where an op names none, in the order of the equations.
inline constexpr RnnActivation kRnnActivations[] = {RnnActivation::tanh};
inline constexpr RnnActivation kGruActivations[] = {RnnActivation::sigmoid, RnnActivation::tanh};
inline constexpr RnnActivation kLstmActivations[] = {RnnActivation::sigmoid, RnnActivation::tanh, RnnActivation::tanh};

inline int64_t direction_count(RnnDirection direction) { return direction == RnnDirection::bidirectional ? 2 : 1; }

// The activations of all directions, one direction after the other: `given`, or the defaults for each.
std::vector<RnnActivation> all_activations(std::span<const RnnActivation> given,
                                           std::span<const RnnActivation> defaults, RnnDirection direction);

// An activation with its parameters; 0 where it takes none.
struct CellFunction {
  RnnActivation fn;
  double alpha, beta;
};

// Those of all activations of an op: what it gives goes in turn to the activations that take one.
std::vector<CellFunction> cell_functions(std::span<const RnnActivation> activations, std::span<const double> alphas,
                                         std::span<const double> betas);

}  // namespace ingot
