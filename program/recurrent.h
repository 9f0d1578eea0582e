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

}  // namespace ingot
