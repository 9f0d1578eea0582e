#include "program/recurrent.h"

namespace ingot {

const RnnActivationFacts& facts(RnnActivation fn) {
  static constexpr RnnActivationFacts table[] = {
      {{}, {}},    // tanh
      {{}, {}},    // sigmoid
      {{}, {}},    // relu
      {1.0, 0.0},  // affine
      {0.01, {}},  // leaky_relu
      {1.0, {}},   // thresholded_relu
      {1.0, 1.0},  // scaled_tanh
      {0.2, 0.5},  // hard_sigmoid
      {1.0, {}},   // elu
      {{}, {}},    // softsign
      {{}, {}},    // softplus
  };
  static_assert(std::size(table) == EnumNames<RnnActivation>::names.size());
  return table[static_cast<size_t>(fn)];
}

std::vector<RnnActivation> all_activations(std::span<const RnnActivation> given,
                                           std::span<const RnnActivation> defaults, RnnDirection direction) {
  if (!given.empty()) return {given.begin(), given.end()};
  std::vector<RnnActivation> all;
  for (int64_t d = 0; d < direction_count(direction); ++d) all.insert(all.end(), defaults.begin(), defaults.end());
  return all;
}

}  // namespace ingot
