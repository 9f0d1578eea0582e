#include "bench/mlx/networks.h"

#include <cmath>
#include <string>

namespace ingot::bench {

Weights::Both Weights::uniform(Sizes sizes, double deviation, double mean) {
  Tensor tensor = Tensor::allocate(DType::f32, sizes);
  auto* numbers = reinterpret_cast<float*>(tensor.mutable_bytes().data());
  const double reach = deviation * std::sqrt(3.0);
  std::uniform_real_distribution<float> uniform(static_cast<float>(mean - reach), static_cast<float>(mean + reach));
  for (int64_t i = 0; i < tensor.elements(); ++i) numbers[i] = uniform(random_);
  arrays.emplace_back(numbers, mx::Shape(sizes.begin(), sizes.end()), mx::float32);
  const std::string name = "w" + std::to_string(arrays.size());
  return {graph_.weight(program_.weight(name, tensor)), arrays.size() - 1};
}

Network five_nodes() {
  ProgramBuilder program;
  GraphBuilder& g = program.method("f");
  const Var x = g.input("x", DType::f32, {16});
  g.output("y", g.tanh((x * x + x) * x - x));
  const auto by_hand = [](const std::vector<array>& in) {
    const array& a = in[0];
    return std::vector<array>{mx::tanh((a * a + a) * a - a)};
  };
  return {program.build(), by_hand, {Tensor::of<float>({16}, std::vector<float>(16, 0.5F))}};
}

}  // namespace ingot::bench
