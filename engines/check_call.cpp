#include "engines/check_call.h"

#include <algorithm>
#include <vector>

namespace ingot {

void check_count(const Graph& method, std::string_view what, size_t actual, size_t expected) {
  if (actual == expected) return;
  throw Error::mismatch(Code::invalid_argument, method.name, fmt::format("the number of {}", what),
                        std::to_string(actual), std::to_string(expected));
}

namespace {

bool is_of_type(const DeviceTensor& tensor, const TensorType& type, const Bindings& bindings) {
  return tensor.dtype() == type.dtype && tensor.scheme() == type.scheme &&
         std::ranges::equal(tensor.sizes(), type.shape,
                            [&](int64_t size, const Dim& dim) { return size == evaluate(dim, bindings); });
}

// `describe` names the handle, for messages.
template <class Describe>
void check_handle(const Graph& method, const Handle& handle, const TensorType& type, const Bindings& bindings,
                  Describe describe) {
  if (!handle) {
    throw Error::mismatch(Code::invalid_argument, method.name, describe(), "missing", to_string(type));
  }
  if (is_of_type(*handle, type, bindings)) return;
  const TensorType actual{handle->dtype(), Shape(handle->sizes().begin(), handle->sizes().end()), handle->scheme()};
  throw Error::mismatch(Code::type_mismatch, method.name, describe(), to_string(actual), to_string(type));
}

}  // namespace

void CallCheck::operator()(const Invocation& call) const {
  const Graph& method = program_.graphs[call.method.id];
  check_count(method, "inputs", call.inputs.size(), method.inputs.size());
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    const Value& input = method.values[method.inputs[i].id];
    check_handle(method, call.inputs[i], input.type, call.bindings, [&] { return "input " + input.name; });
  }
  if (call.states.empty() && effects_[call.method.id] == Effects::pure) return;
  check_count(method, "states", call.states.size(), program_.states.size());
  for (size_t i = 0; i < program_.states.size(); ++i) {
    const State& state = program_.states[i];
    check_handle(method, call.states[i], state.type, call.bindings, [&] { return "state " + state.name; });
  }
}

}  // namespace ingot
