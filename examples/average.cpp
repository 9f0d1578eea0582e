// examples/average.cpp
#include <iostream>

#include "program/builder.h"
#include "runtime/session.h"

int main() try {
  using namespace ingot;
  ProgramBuilder program;
  const Symbol n = program.symbol("N", 1, 1000);
  GraphBuilder& f = program.method("center");
  const Var x = f.input("x", DType::f32, {n, 3});
  f.output("y", x - f.reduce_mean(x, {0}, {.keepdims = true}));

  Session session(compile(program.build()));
  const Tensor rows = Tensor::of<float>({2, 3}, {1, 2, 3, 5, 6, 7});
  const std::vector<NamedTensor> outputs = session.run({{"x", rows}});
  for (const float value : outputs.front().tensor.as<float>()) std::cout << value << " ";
  std::cout << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
