// examples/custom_mlx.cpp: two ops of the host's own on MLX, one that builds lazy arrays and one that reads values.
#include <algorithm>
#include <iostream>

#include "engines/mlx/custom.h"
#include "program/builder.h"
#include "runtime/session.h"

using namespace ingot;
using mlx_engine::MlxCall;
namespace mx = mlx::core;

// y = cap · tanh(x / cap)
static std::vector<mx::array> softcap(const std::vector<mx::array>& operands, const MlxCall& call) {
  const mx::array cap(static_cast<float>(call.attributes.at(0).reals.at(0)));
  const mx::Stream s = call.stream;
  return {mx::multiply(mx::tanh(mx::divide(operands[0], cap, s), s), cap, s)};
}

// The element in the middle, by an algorithm of the host.
static std::vector<mx::array> middle(const std::vector<mx::array>& operands, const MlxCall&) {
  const mx::array& x = operands[0];
  std::vector<float> values(x.data<float>(), x.data<float>() + x.size());
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return {mx::array(*half)};
}

int main() try {
  Registry& registry = *default_registry();
  registry.add_meaning("acme.softcap", {[](const auto& operands, const auto&) { return std::vector{operands.at(0)}; }});
  registry.add_meaning("acme.middle", {[](const auto& operands, const auto&) {
                         return std::vector{TensorType{operands.at(0).dtype, {}, {}}};
                       }});
  mlx_engine::add_mlx_op(registry, "acme.softcap", softcap);
  mlx_engine::add_mlx_op(registry, "acme.middle", middle, {.reads_values = true});

  ProgramBuilder program;
  GraphBuilder& f = program.method("cap");
  const Var x = f.input("x", DType::f32, {5});
  const Var y =
      f.custom("acme.softcap", {x.type()}, {.operands = {x}, .attributes = {{.name = "cap", .reals = {2.0}}}})[0];
  f.output("middle", f.custom("acme.middle", {{DType::f32, {}, {}}}, {.operands = {y}})[0]);

  Session session(compile(program.build(), {.engine = "mlx"}));
  const auto outputs = session.run({{"x", Tensor::of<float>({5}, {100, -100, 1, 0, 2})}});
  std::cout << outputs.front().tensor.as<float>()[0] << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
