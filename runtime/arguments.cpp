#include "runtime/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engines/check_call.h"
#include "program/error.h"
#include "program/text/suggest.h"

namespace ingot {
namespace {

const std::string& input_name(const Graph& method, size_t i) { return method.values[method.inputs[i].id].name; }

// Where each input comes from: a tensor of the caller, or a handle that stays.
struct Origin {
  const Tensor* given = nullptr;
  Handle bound;
};

std::vector<Origin> origins_of(const Graph& method, const std::vector<NamedTensor>& given, const Bound& bound) {
  std::vector<Origin> origins(method.inputs.size());
  for (const NamedTensor& tensor : given) {
    Origin& origin = origins[input_index(method, tensor.name)];
    if (origin.given) throw Error(Code::invalid_argument, fmt::format("input {} is given twice", tensor.name));
    origin.given = &tensor.tensor;
  }
  for (size_t i = 0; i < origins.size(); ++i) {
    if (origins[i].given) continue;
    origins[i].bound = bound.find(input_name(method, i));
    if (!origins[i].bound) {
      throw Error::mismatch(Code::invalid_argument, "", "input " + input_name(method, i), "missing",
                            to_string(method.type(method.inputs[i])));
    }
  }
  return origins;
}

// Whether the sizes are those of the shape, for some sizes of its symbols.
bool may_be(const Sizes& sizes, const Shape& shape) {
  return std::ranges::equal(sizes, shape,
                            [](int64_t size, const Dim& dim) { return !dim.is_literal() || dim.literal() == size; });
}

const Sizes& sizes_of(const Origin& origin) { return origin.given ? origin.given->sizes() : origin.bound->sizes(); }

void check(const std::string& subject, const Origin& origin, const TensorType& declared, const HostTypes& host) {
  if (origin.given) return check_type(subject, *origin.given, host.in(declared, origin.given->dtype()));
  check_type(subject, origin.bound->dtype(), origin.bound->sizes(), origin.bound->scheme(), declared);
}

}  // namespace

size_t Bound::place_of(std::string_view name) {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, Handle>::first);
  if (found != entries_.end()) return static_cast<size_t>(found - entries_.begin());
  entries_.emplace_back(name, nullptr);
  return entries_.size() - 1;
}

Handle Bound::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &std::pair<std::string, Handle>::first);
  return found == entries_.end() ? nullptr : found->second;
}

void check_type(std::string_view subject, DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme,
                const TensorType& declared) {
  if (dtype == declared.dtype && scheme == declared.scheme && may_be(sizes, declared.shape)) return;
  const TensorType actual{dtype, Shape(sizes.begin(), sizes.end()), scheme};
  throw Error::mismatch(Code::type_mismatch, "", subject, to_string(actual), to_string(declared));
}

void check_type(std::string_view subject, const Tensor& tensor, const TensorType& declared) {
  check_type(subject, tensor.dtype(), tensor.sizes(), tensor.scheme(), declared);
  check_contents(subject, tensor);
}

void check_contents(std::string_view subject, const Tensor& tensor) {
  if (tensor.dtype() == DType::bool_) check_bools(Code::invalid_argument, subject, tensor.bytes());
}

namespace {

// What a tensor is broadcast to: the sizes that are declared as literals, and its own where a symbol decides. Its own too
// where it does not broadcast.
Sizes broadcast_sizes(const Sizes& sizes, const Shape& declared) {
  if (sizes.size() > declared.size()) return sizes;
  const size_t missing = declared.size() - sizes.size();
  Sizes result;
  for (size_t axis = 0; axis < declared.size(); ++axis) {
    if (!declared[axis].is_literal() && axis < missing) return sizes;
    const int64_t size = axis < missing ? 1 : sizes[axis - missing];
    result.push_back(declared[axis].is_literal() && size == 1 ? declared[axis].literal() : size);
  }
  return may_be(result, declared) ? result : sizes;
}

}  // namespace

Tensor fitted(const std::string& subject, const Tensor& tensor, const TensorType& declared) {
  const bool same_dtype = tensor.dtype() == declared.dtype && !declared.scheme;
  const Sizes after = same_dtype ? broadcast_sizes(tensor.sizes(), declared.shape) : tensor.sizes();
  check_type(subject, tensor.dtype(), after, tensor.scheme(), declared);
  check_contents(subject, tensor);
  std::vector<DimEquation> equations;
  for (size_t axis = 0; axis < after.size(); ++axis) {
    equations.push_back({declared.shape[axis], after[axis], fmt::format("{}, axis {}", subject, axis)});
  }
  solve(equations);
  return after == tensor.sizes() ? tensor : tensor.broadcast_to(after);
}

Tensor zeros_of(const TensorType& type, Sizes sizes) {
  return Tensor::zeros(type.dtype, std::move(sizes), type.scheme);
}

size_t input_index(const Graph& method, std::string_view name) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    if (input_name(method, i) == name) return i;
    names.push_back(input_name(method, i));
  }
  throw Error(Code::not_found, fmt::format("there is no input {}{}", name, did_you_mean(name, names)));
}

size_t output_index(const Graph& method, std::string_view name) {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < method.outputs.size(); ++i) {
    if (method.outputs[i].name == name) return i;
    names.push_back(method.outputs[i].name);
  }
  throw Error(Code::not_found, fmt::format("there is no output {}{}", name, did_you_mean(name, names)));
}

Bindings bindings_of(const Graph& method, const std::vector<Sizes>& sizes) {
  std::vector<DimEquation> equations;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Shape& shape = method.type(method.inputs[i]).shape;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      equations.push_back({shape[axis], sizes[i][axis], fmt::format("input {}, axis {}", input_name(method, i), axis)});
    }
  }
  return solve(equations);
}

std::vector<Sizes> sizes_or_literals(const Graph& method, const std::vector<Sizes>& given) {
  if (!given.empty() || method.inputs.empty()) {
    check_count(method, "inputs", given.size(), method.inputs.size());
    return given;
  }
  std::vector<Sizes> sizes;
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    const TensorType& type = method.type(method.inputs[i]);
    const std::optional<Sizes> literal = known_sizes(type.shape, {});
    if (!literal) {
      throw Error(Code::invalid_argument,
                  fmt::format("sizes are needed: input {} is {}", input_name(method, i), to_string(type)))
          .in_op(method.name);
    }
    sizes.push_back(*literal);
  }
  return sizes;
}

std::optional<Sizes> known_sizes(const Shape& shape, const Bindings& bindings) {
  Sizes sizes;
  for (const Dim& dim : shape) {
    std::vector<Symbol> symbols;
    collect_symbols(dim, symbols);
    if (!std::ranges::all_of(symbols, [&](const Symbol& symbol) { return bindings.find(symbol).has_value(); }))
      return {};
    sizes.push_back(evaluate(dim, bindings));
  }
  return sizes;
}

std::unique_ptr<Invocation> invocation_of(const Callee& callee, const std::vector<NamedTensor>& given,
                                          const Bound& bound) {
  const Graph& method = callee.method;
  try {
    const std::vector<Origin> origins = origins_of(method, given, bound);
    std::vector<Sizes> sizes;
    for (size_t i = 0; i < origins.size(); ++i) {
      check("input " + input_name(method, i), origins[i], method.type(method.inputs[i]), callee.host);
      sizes.push_back(sizes_of(origins[i]));
    }
    std::unique_ptr<Invocation> call = callee.compiled->invocation(callee.id);
    call->bindings = bindings_of(method, sizes);
    for (size_t i = 0; i < origins.size(); ++i) {
      const auto upload = [&](const Tensor& tensor) {
        return callee.compiled->upload(callee.host.in(tensor, method.type(method.inputs[i])));
      };
      call->inputs.push_back(origins[i].given ? upload(*origins[i].given) : origins[i].bound);
    }
    return call;
  } catch (Error& error) {
    throw error.in_op(method.name);
  }
}

std::unique_ptr<Invocation> invocation_of(const Callee& callee, const std::vector<Handle>& inputs) {
  const Graph& method = callee.method;
  check_count(method, "inputs", inputs.size(), method.inputs.size());
  try {
    std::vector<Sizes> sizes;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const TensorType& declared = method.type(method.inputs[i]);
      const std::string subject = "input " + input_name(method, i);
      if (!inputs[i]) throw Error::mismatch(Code::invalid_argument, "", subject, "null", to_string(declared));
      check_type(subject, inputs[i]->dtype(), inputs[i]->sizes(), inputs[i]->scheme(), declared);
      sizes.push_back(inputs[i]->sizes());
    }
    std::unique_ptr<Invocation> call = callee.compiled->invocation(callee.id);
    call->bindings = bindings_of(method, sizes);
    call->inputs = inputs;
    return call;
  } catch (Error& error) {
    throw error.in_op(method.name);
  }
}

}  // namespace ingot
