// Registry: the ops of the host, by name, at three levels.
//
//   meaning     from operand types and attributes to result types; gradient and batching, for transformations
//   reference   what the reference engine runs: a function of Tensors
//   execution   what another engine runs; its type is the engine's business (engines/mlx/custom.h)
//
// Programs name such an op in `custom`. Compiling takes the functions out of the registry, so one may be added to while
// others compile, and may go when they have.
//
// Ownership  keeps the functions; whoever took one out shares it.
// Threads    every method from any thread. The functions are called from any thread, several at one time.
// Failure    Error that names the op. What a function of the host throws becomes one.
#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "program/builder.h"
#include "program/error.h"

namespace ingot {

using Attributes = std::vector<NamedAttribute>;

// ------------------------------------------------------------------------------------------------------------ levels

using CustomInference =
    std::function<std::vector<TensorType>(const std::vector<TensorType>& operands, const Attributes& attributes)>;

// Adds the gradient of each operand to the graph, from that of each result; none where an operand has none.
using CustomGradient = std::function<std::vector<std::optional<Var>>(
    GraphBuilder& graph, const std::vector<Var>& operands, const std::vector<Var>& results,
    const std::vector<Var>& result_gradients, const Attributes& attributes)>;

// By operand or result the axis that runs over a batch; none: the same for all of it.
using BatchAxes = std::vector<std::optional<int64_t>>;
struct Batched {
  std::vector<Var> results;
  BatchAxes axes;
};
// Adds the op for a whole batch to the graph.
using CustomBatching = std::function<Batched(GraphBuilder& graph, const std::vector<Var>& operands,
                                             const BatchAxes& axes, const Attributes& attributes)>;

struct CustomMeaning {
  CustomInference infer;
  CustomGradient gradient = {};  // empty: has none
  CustomBatching batching = {};  // empty: cannot be
};

using ReferenceOp =
    std::function<std::vector<Tensor>(const std::vector<Tensor>& operands, const Attributes& attributes)>;

// ---------------------------------------------------------------------------------------------------------- registry

class Registry {
 public:
  // Code::invalid_argument for an empty name or function, and for a level that the op has already.
  void add_meaning(const std::string& name, CustomMeaning meaning);
  void add_reference(const std::string& name, ReferenceOp function);
  // F is the type that the engine asks for, a std::function.
  template <class F>
  void add_execution(const std::string& name, std::string_view engine, F function) {
    std::any any;
    if (function) any = std::move(function);
    add(name, engine, std::move(any));
  }

  // Code::unsupported where there is none.
  std::shared_ptr<const CustomMeaning> meaning(std::string_view name) const;
  template <class F>
  std::shared_ptr<const F> execution(std::string_view name, std::string_view engine) const {
    std::shared_ptr<const std::any> found = find(name, engine);
    const F* function = std::any_cast<F>(found.get());
    if (!function) throw of_another_type(name, engine);
    return {std::move(found), function};
  }

 private:
  struct Levels {
    std::shared_ptr<const CustomMeaning> meaning;
    std::map<std::string, std::shared_ptr<const std::any>, std::less<>> executions;  // by engine
  };

  void add(const std::string& name, std::string_view engine, std::any function);
  const Levels& levels(std::string_view name) const;
  std::shared_ptr<const std::any> find(std::string_view name, std::string_view engine) const;
  static Error of_another_type(std::string_view name, std::string_view engine);

  mutable std::shared_mutex mutex_;
  std::map<std::string, Levels, std::less<>> ops_;
};

// The one that is used where none is named.
const std::shared_ptr<Registry>& default_registry();

// -------------------------------------------------------------------------------------------------------- compilation

// Throws unless every custom op of the program has a meaning, which infers the types that the op declares.
void check_meanings(const Program& program, const Registry& registry);

// What an engine runs for the custom ops of a program, by their names.
template <class F>
using CustomOps = std::map<std::string, std::shared_ptr<const F>, std::less<>>;

// Whether or not a method reaches it. Errors that the function throws get op and place.
void for_each_custom(const Program& program, const std::function<void(const op::Custom&, const Graph&)>& function);

// Throws where one has no function for the engine.
template <class F>
CustomOps<F> custom_ops(const Program& program, const Registry& registry, std::string_view engine) {
  CustomOps<F> all;
  for_each_custom(program, [&](const op::Custom& op, const Graph&) {
    if (!all.contains(op.name)) all.emplace(op.name, registry.execution<F>(op.name, engine));
  });
  return all;
}

// --------------------------------------------------------------------------------------------------------------- runs

// Within a catch block: throws what was caught as an Error that names the op; lack of memory stays what it is.
[[noreturn]] void rethrow_from(std::string_view name);

// What a function of the host returns.
template <class F>
auto from_host(std::string_view name, const F& function) {
  try {
    return function();
  } catch (...) {
    rethrow_from(name);
  }
}

// Throw where the results of a run are not what the op declares.
void check_result_count(const op::Custom& op, size_t actual);
[[noreturn]] void refuse_result(const op::Custom& op, size_t i, std::string actual, std::string expected);

}  // namespace ingot
