// Runs what was loaded from foreign bytes: whatever the program is, each method ends soon, with outputs of the declared
// types or with an Error.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "program/error.h"
#include "runtime/session.h"

namespace ingot::test {

// For read_program: a small file that asks for more is refused.
inline Limits small_limits() {
  return {.nodes = 1000,
          .values = 2000,
          .graphs = 50,
          .weights = 100,
          .states = 100,
          .symbols = 50,
          .rank = 16,
          .nesting = 16,
          .name_bytes = 256,
          .tensor_bytes = 1 << 20,
          .metadata_bytes = 1 << 18};
}

// Symbols get the sizes next to `size` that their bounds allow.
inline Bindings small_sizes(const Program& program, int64_t size) {
  Bindings bindings;
  for (const Symbol& symbol : program.symbols) bindings.bind(symbol, std::clamp(size, symbol.min(), symbol.max()));
  return bindings;
}

// Every byte 0 or 1, so that bools are bools; from `seed` on in turn, all 0 for seed 0.
inline Tensor small_input(const TensorType& type, const Bindings& bindings, uint64_t seed) {
  Sizes sizes;
  for (const Dim& dim : type.shape) sizes.push_back(evaluate(dim, bindings));
  constexpr int64_t kMost = 1 << 18;
  if (byte_count(type.dtype, sizes, type.scheme) > kMost) throw Error(Code::limit, "an input that is too large to try");
  Tensor tensor = Tensor::allocate(type.dtype, std::move(sizes), type.scheme);
  for (std::byte& byte : tensor.mutable_bytes()) {
    byte = static_cast<std::byte>(seed >> 63);
    seed = seed * 6364136223846793005 + (seed != 0);
  }
  return tensor;
}

inline void check_outputs(const Graph& method, const std::vector<NamedTensor>& outputs) {
  if (outputs.size() != method.outputs.size()) throw std::logic_error("another number of outputs than declared");
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorType& type = method.type(method.outputs[i].value);
    const bool same = outputs[i].tensor.dtype() == type.dtype && outputs[i].tensor.sizes().size() == type.shape.size();
    if (!same) throw std::logic_error("output " + outputs[i].name + " is not of the declared type");
  }
}

// Whether a call gave outputs.
inline bool run_once(Session& session, const Graph& method, int64_t size) try {
  const Bindings bindings = small_sizes(session.executable().program(), size);
  std::vector<NamedTensor> inputs;
  for (const Ref input : method.inputs) {
    const Value& value = method.values[input.id];
    inputs.push_back({value.name, small_input(value.type, bindings, static_cast<uint64_t>(size))});
  }
  check_outputs(method, session.run(std::move(inputs), method.name));
  return true;
} catch (const Error&) {
  return false;
}

// The number of calls that gave outputs, whatever the limits in the options are. Precondition: the program has passed
// `verify`.
inline int run_within_limits(const Program& program, CompileOptions options = {.engine = "reference"}) try {
  options.limits = {.bytes = 1 << 20, .steps = 20'000};
  Session session(compile(program, options));
  int succeeded = 0;
  for (const Graph& method : program.graphs) {
    if (!method.exported) continue;
    for (const int64_t size : {0, 3}) succeeded += run_once(session, method, size);
  }
  return succeeded;
} catch (const Error&) {
  return 0;
}

}  // namespace ingot::test
