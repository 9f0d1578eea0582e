#include "runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "program/error.h"
#include "program/text/suggest.h"

namespace ingot {
namespace {

// `, did you mean 'x'?` among the names of a range.
template <class Range, class Name>
std::string suggestion(std::string_view wrong, const Range& range, Name name_of) {
  std::vector<std::string_view> names;
  names.reserve(range.size());
  for (const auto& item : range) names.push_back(name_of(item));
  return did_you_mean(wrong, names);
}

const std::string& input_name(const Graph& method, size_t i) { return method.values[method.inputs[i].id].name; }

size_t input_index(const Graph& method, std::string_view name) {
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    if (input_name(method, i) == name) return i;
  }
  const auto name_of = [&](Ref input) -> std::string_view { return method.values[input.id].name; };
  throw Error(Code::not_found, fmt::format("there is no input {}{}", name, suggestion(name, method.inputs, name_of)));
}

// One tensor for each input, in the order of the method.
std::vector<Tensor> in_order(const Graph& method, std::vector<NamedTensor> given) {
  std::vector<std::optional<Tensor>> found(method.inputs.size());
  for (NamedTensor& tensor : given) {
    std::optional<Tensor>& place = found[input_index(method, tensor.name)];
    if (place) throw Error(Code::invalid_argument, fmt::format("input {} is given twice", tensor.name));
    place = std::move(tensor.tensor);
  }
  std::vector<Tensor> inputs;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!found[i]) {
      throw Error::mismatch(Code::invalid_argument, "", "input " + input_name(method, i), "missing",
                            to_string(method.type(method.inputs[i])));
    }
    inputs.push_back(*std::move(found[i]));
  }
  return inputs;
}

// dtype, scheme, rank and the sizes that are known: all but what symbols say.
bool agrees(const Tensor& tensor, const TensorType& declared) {
  if (tensor.dtype() != declared.dtype || tensor.scheme() != declared.scheme) return false;
  return std::ranges::equal(tensor.sizes(), declared.shape,
                            [](int64_t size, const Dim& dim) { return !dim.is_literal() || dim.literal() == size; });
}

void check_type(std::string_view subject, const Tensor& tensor, const TensorType& declared) {
  if (agrees(tensor, declared)) return;
  throw Error::mismatch(Code::type_mismatch, "", subject, to_string(tensor.type()), to_string(declared));
}

// The symbols of the method, from the sizes of its inputs. Throws where a size contradicts another or a bound.
Bindings bind(const Graph& method, const std::vector<Tensor>& inputs) {
  std::vector<DimEquation> equations;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape& shape = method.type(method.inputs[i]).shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      equations.push_back(
          {shape[axis], inputs[i].sizes()[axis], fmt::format("input {}, axis {}", input_name(method, i), axis)});
    }
  }
  return solve(equations);
}

struct Prepared {
  std::vector<Tensor> inputs;
  Bindings bindings;
};

// Every check of a call.
Prepared prepare(const Graph& method, std::vector<NamedTensor> given) {
  try {
    std::vector<Tensor> inputs = in_order(method, std::move(given));
    for (size_t i = 0; i < inputs.size(); ++i) {
      check_type("input " + input_name(method, i), inputs[i], method.type(method.inputs[i]));
    }
    Bindings bindings = bind(method, inputs);
    return {std::move(inputs), std::move(bindings)};
  } catch (Error& error) {
    throw error.in_op(method.name);
  }
}

}  // namespace

Session::Session(Executable executable) : executable_(std::move(executable)) { reset(); }

std::vector<NamedTensor> Session::run(std::vector<NamedTensor> inputs, std::string_view method) {
  const Graph& graph = executable_.method(method);
  std::vector<NamedTensor> outputs;
  outputs.reserve(graph.outputs.size());
  for (const Output& output : graph.outputs) outputs.push_back({output.name, Tensor()});
  Prepared call = prepare(graph, std::move(inputs));
  std::vector<Tensor> results = executable_.execute(graph, std::move(call.inputs), std::move(call.bindings), states_);
  for (size_t i = 0; i < results.size(); ++i) outputs[i].tensor = results[i].aligned();
  return outputs;
}

// ------------------------------------------------------------------------------------------------------------- state

size_t Session::state_index(std::string_view name) const {
  const std::vector<State>& states = executable_.program().states;
  const auto found = std::ranges::find(states, name, &State::name);
  if (found != states.end()) return static_cast<size_t>(found - states.begin());
  const auto name_of = [](const State& state) -> std::string_view { return state.name; };
  throw Error(Code::not_found, fmt::format("there is no state {}{}", name, suggestion(name, states, name_of)));
}

const Tensor& Session::state(std::string_view name) const { return states_[state_index(name)]; }

void Session::set_state(std::string_view name, Tensor contents) {
  const size_t index = state_index(name);
  check_type(fmt::format("state {}", name), contents, executable_.program().states[index].type);
  states_[index] = std::move(contents);
}

void Session::reset() { states_ = executable_.initial_states(); }

}  // namespace ingot
