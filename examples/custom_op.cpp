// examples/custom_op.cpp: an op of the host's own, y = cap · tanh(x / cap).
#include <cmath>
#include <iostream>

#include "engines/registry.h"
#include "program/builder.h"
#include "runtime/session.h"

int main() try {
  using namespace ingot;
  Registry& registry = *default_registry();
  registry.add_meaning("acme.softcap", {[](const std::vector<TensorType>& operands, const Attributes&) {
                         return std::vector{operands.at(0)};
                       }});
  registry.add_reference("acme.softcap", [](const std::vector<Tensor>& operands, const CustomCall& call) {
    const auto x = operands[0].as<float>();
    const auto cap = static_cast<float>(call.attributes.at(0).reals.at(0));
    std::vector<float> y;
    for (const float value : x) y.push_back(cap * std::tanh(value / cap));
    return std::vector{Tensor::of(operands[0].sizes(), y)};
  });

  ProgramBuilder program;
  GraphBuilder& f = program.method("cap");
  const Var x = f.input("x", DType::f32, {4});
  f.output("y",
           f.custom("acme.softcap", {x.type()}, {.operands = {x}, .attributes = {{.name = "cap", .reals = {2.0}}}})[0]);

  Session session(compile(program.build()));
  const auto outputs = session.run({{"x", Tensor::of<float>({4}, {-100, 0, 1, 100})}});
  for (const float value : outputs.front().tensor.as<float>()) std::cout << value << " ";
  std::cout << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
