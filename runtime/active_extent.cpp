#include "runtime/active_extent.h"

#include <fmt/format.h>

#include <algorithm>

#include "program/error.h"

namespace ingot {
namespace {

// Rows lie one behind another.
Tensor cut(const Tensor& tensor, int64_t rows) {
  Sizes sizes = tensor.sizes();
  sizes[0] = rows;
  const auto bytes = static_cast<size_t>(byte_count(tensor.dtype(), sizes, tensor.scheme()));
  return Tensor(tensor.dtype(), std::move(sizes), Buffer{tensor.buffer().owner, tensor.bytes().first(bytes)},
                tensor.scheme());
}

}  // namespace

const ActiveMethod& ActiveExtent::method(std::string_view name) const {
  return *std::ranges::find(methods, name, &ActiveMethod::method);
}

bool has_more_rows(const ActiveMethod& method, const Graph& graph, size_t input, const Sizes& sizes, int64_t actual,
                   int64_t upper) {
  const bool has_rows = method.inputs[input] && !sizes.empty();  // what has too few axes is refused later
  if (!has_rows || sizes[0] == actual) return false;
  if (sizes[0] == upper) return true;
  throw Error::mismatch(Code::type_mismatch, graph.name,
                        fmt::format("number of rows of input {}", graph.values[graph.inputs[input].id].name),
                        std::to_string(sizes[0]), fmt::format("{} or {}", actual, upper));
}

Tensor first_rows(const ActiveMethod& method, const Graph& graph, size_t input, const Tensor& tensor, int64_t actual,
                  int64_t upper) {
  return has_more_rows(method, graph, input, tensor.sizes(), actual, upper) ? cut(tensor, actual) : tensor;
}

std::optional<std::vector<NamedTensor>> first_rows(const ActiveMethod& method, const Graph& graph,
                                                   const std::vector<NamedTensor>& inputs, const Bound& bound,
                                                   int64_t actual, int64_t upper) {
  std::vector<NamedTensor> result = inputs;
  for (size_t i = 0; i < method.inputs.size(); ++i) {
    const std::string& name = graph.values[graph.inputs[i].id].name;
    const auto found = std::ranges::find(result, name, &NamedTensor::name);
    if (found != result.end()) {
      found->tensor = first_rows(method, graph, i, found->tensor, actual, upper);
    } else if (const Handle kept = bound.find(name); method.inputs[i] && kept) {
      if (kept->sizes()[0] != actual) return std::nullopt;
    }
  }
  return result;
}

}  // namespace ingot
