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

std::vector<CellFunction> cell_functions(std::span<const RnnActivation> activations, std::span<const double> alphas,
                                         std::span<const double> betas) {
  auto alpha = alphas.begin(), beta = betas.begin();
  const auto next = [](auto& given, auto end, const std::optional<double>& otherwise) {
    if (!otherwise) return 0.0;
    return given == end ? *otherwise : *given++;
  };
  std::vector<CellFunction> functions;
  for (RnnActivation fn : activations) {
    functions.push_back({fn, next(alpha, alphas.end(), facts(fn).alpha), next(beta, betas.end(), facts(fn).beta)});
  }
  return functions;
}

}  // namespace ingot
