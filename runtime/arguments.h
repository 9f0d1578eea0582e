// Arguments: what a call passes to a method, checked before anything runs.
//
// Ownership  values. Threads  a Bound one at a time; the rest are functions that any thread calls.
// Failure    Error that names the method and the input: missing, unknown, given twice, or not of the declared type.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "program/io/named_tensor.h"
#include "runtime/host_types.h"

namespace ingot {

// Inputs that stay, by name. Every name keeps its place, where there may be nothing yet.
class Bound {
 public:
  size_t place_of(std::string_view name);
  Handle& operator[](size_t place) { return entries_[place].second; }
  // None where nothing is bound.
  Handle find(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, Handle>> entries_;
};

// A method where it is compiled.
struct Callee {
  const Graph& method;
  GraphId id;
  std::shared_ptr<CompiledProgram> compiled;
  HostTypes host;
};

// A call that has inputs and bindings. Inputs go by name, in any order; what is not given comes from `bound`.
std::unique_ptr<Invocation> invocation_of(const Callee& callee, const std::vector<NamedTensor>& given,
                                          const Bound& bound);

// Likewise by position, with tensors that are on the device already.
std::unique_ptr<Invocation> invocation_of(const Callee& callee, const std::vector<Handle>& inputs);

// The symbols of a method, from the sizes of its inputs in their order. Throws where a size contradicts another or a bound.
Bindings bindings_of(const Graph& method, const std::vector<Sizes>& sizes);

// The sizes of all inputs: as given, or where none are given the literal ones that the method declares. Throws for another
// number of them, or one that is open.
std::vector<Sizes> sizes_or_literals(const Graph& method, const std::vector<Sizes>& given);

// The sizes of a shape; none where a symbol is not bound yet, since data decide it.
std::optional<Sizes> known_sizes(const Shape& shape, const Bindings& bindings);

// Throws unless a tensor is of the declared type, symbols aside: dtype, scheme, rank and the sizes that are known.
void check_type(std::string_view subject, DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme,
                const TensorType& declared);
void check_type(std::string_view subject, const Tensor& tensor, const TensorType& declared);
// Throws for bools that are neither 0 nor 1.
void check_contents(std::string_view subject, const Tensor& tensor);

// The tensor as an input of the declared type, broadcast to it where it is smaller. Throws where it fits for no binding of
// the symbols.
Tensor fitted(const std::string& subject, const Tensor& tensor, const TensorType& declared);

Tensor zeros_of(const TensorType& type, Sizes sizes);

// The position of an input or output by its name.
size_t input_index(const Graph& method, std::string_view name);
size_t output_index(const Graph& method, std::string_view name);

}  // namespace ingot
