// examples/custom_primitive.cpp: an op of the host's own as a primitive of MLX, y = cap · tanh(x / cap).
#include <mlx/backend/cpu/encoder.h>
#include <mlx/primitives.h>

#include <cmath>
#include <iostream>
#include <stdexcept>

#include "engines/mlx/custom.h"
#include "program/builder.h"
#include "runtime/session.h"

namespace mx = mlx::core;

class Softcap final : public mx::Primitive {
 public:
  Softcap(mx::Stream stream, float cap) : mx::Primitive(stream), cap_(cap) {}

  // Schedules the work: x has its memory by now, and its values when the stream gets to what is dispatched.
  void eval_cpu(const std::vector<mx::array>& inputs, std::vector<mx::array>& outputs) override {
    mx::array& y = outputs[0];
    y.set_data(mx::allocator::malloc(y.nbytes()));
    const auto compute = [from = inputs[0].data<float>(), to = y.data<float>(), count = y.size(), cap = cap_] {
      for (size_t i = 0; i < count; ++i) to[i] = cap * std::tanh(from[i] / cap);
    };
    mx::cpu::get_command_encoder(stream()).dispatch(compute);
  }
  void eval_gpu(const std::vector<mx::array>&, std::vector<mx::array>&) override {
    throw std::runtime_error("Softcap has no kernel for GPUs");
  }
  const char* name() const override { return "Softcap"; }
  // Lets Ingot merge equal nodes of a trace. Precondition of MLX: the other one is a Softcap too.
  bool is_equivalent(const mx::Primitive& other) const override {
    return cap_ == static_cast<const Softcap&>(other).cap_;
  }

 private:
  float cap_;
};

int main() try {
  using namespace ingot;
  Registry& registry = *default_registry();
  registry.add_meaning("acme.softcap", {[](const std::vector<TensorType>& operands, const Attributes&) {
                         return std::vector{operands.at(0)};
                       }});
  const auto softcap = [](const std::vector<mx::array>& operands, const mlx_engine::MlxCall& call) {
    const auto cap = static_cast<float>(call.attributes.at(0).reals.at(0));
    const mx::array x = mx::contiguous(operands[0], false, call.stream);  // eval_cpu reads it element by element
    return std::vector{mx::array(x.shape(), x.dtype(), std::make_shared<Softcap>(call.stream, cap), {x})};
  };
  mlx_engine::add_mlx_op(registry, "acme.softcap", softcap);

  ProgramBuilder program;
  GraphBuilder& f = program.method("cap");
  const Var x = f.transpose(f.input("x", DType::f32, {2, 2}), {1, 0});
  f.output("y",
           f.custom("acme.softcap", {x.type()}, {.operands = {x}, .attributes = {{.name = "cap", .reals = {2.0}}}})[0]);

  Session session(compile(program.build(), {.engine = "mlx", .device = "cpu"}));
  const auto outputs = session.run({{"x", Tensor::of<float>({2, 2}, {-100, 0, 1, 100})}});
  for (const float value : outputs.front().tensor.as<float>()) std::cout << value << " ";
  std::cout << "\n";
} catch (const std::exception& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
