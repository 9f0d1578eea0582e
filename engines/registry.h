// Registry: the ops of the host, by name, at three levels.
//
//   meaning     from operand types and attributes to result types; gradient and batching, for transformations
//   reference   a function of Tensors: what the reference engine runs, and what other engines fall back on
//   execution   what another engine runs; its type is the engine's business (engines/mlx/custom.h)
//
// Programs name such an op in `custom`. Compiling takes the functions out of the registry: a registry may change or be
// destroyed afterwards without any effect on what was compiled.
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

// One call of a custom op. All sizes in the types are literals: those of this call.
struct CustomCall {
  std::vector<TensorType> operand_types;
  std::vector<TensorType> result_types;  // what the function must return
  const Attributes& attributes;
};

using ReferenceOp = std::function<std::vector<Tensor>(const std::vector<Tensor>& operands, const CustomCall& call)>;

Error execution_of_another_type(std::string_view name, std::string_view engine);

// What the host has registered under one name.
struct CustomOp {
  std::string name;
  std::shared_ptr<const CustomMeaning> meaning;                                    // none: not registered
  std::map<std::string, std::shared_ptr<const std::any>, std::less<>> executions;  // by engine, `reference` included

  // None where the op has no execution on that engine. Code::invalid_argument where it has one of another type.
  template <class F>
  std::shared_ptr<const F> execution(std::string_view engine) const {
    const auto found = executions.find(engine);
    if (found == executions.end()) return nullptr;
    const F* function = std::any_cast<F>(found->second.get());
    if (!function) throw execution_of_another_type(name, engine);
    return {found->second, function};
  }
  std::shared_ptr<const ReferenceOp> reference() const { return execution<ReferenceOp>("reference"); }
};

// ---------------------------------------------------------------------------------------------------------- registry

class Registry {
 public:
  // Code::invalid_argument for an empty name or function, and for a level that the op already has.
  void add_meaning(const std::string& name, CustomMeaning meaning);
  void add_reference(const std::string& name, ReferenceOp function);
  // F is the type that the engine asks for; an empty one converts to false.
  template <class F>
  void add_execution(const std::string& name, std::string_view engine, F function) {
    add(name, engine, boxed(std::move(function)));
  }

  // Replaces a level in place and writes a debug line that says so. Programs that were compiled before keep what they
  // have. Code::not_found where the op does not have the level yet, Code::invalid_argument as above.
  void replace_meaning(const std::string& name, CustomMeaning meaning);
  void replace_reference(const std::string& name, ReferenceOp function);
  template <class F>
  void replace_execution(const std::string& name, std::string_view engine, F function) {
    replace(name, engine, boxed(std::move(function)));
  }

  // The levels that the op has now; none where nothing is registered under that name.
  std::optional<CustomOp> find(std::string_view name) const;

 private:
  template <class F>
  static std::any boxed(F function) {
    return function ? std::any(std::move(function)) : std::any();
  }
  void add(const std::string& name, std::string_view engine, std::any function);
  void replace(const std::string& name, std::string_view engine, std::any function);

  mutable std::shared_mutex mutex_;
  std::map<std::string, CustomOp, std::less<>> ops_;
};

// The one that is used where none is named.
const std::shared_ptr<Registry>& default_registry();

// -------------------------------------------------------------------------------------------------------- compilation

// Calls the function for each custom op of the program, whether or not a method reaches it. An Error that the function
// throws gets op and node.
void for_each_custom(const Program& program, const std::function<void(const op::Custom&, const Graph&)>& function);

// Throws unless every custom op of the program has a meaning, which infers the types that the op declares.
void check_meanings(const Program& program, const Registry& registry);

// What an engine runs for the custom ops of a program, by their names.
template <class F>
using CustomOps = std::map<std::string, F, std::less<>>;

// The op of that name. Code::unsupported where the host has registered none.
CustomOp registered(const Registry& registry, std::string_view name);

// `choose` picks what the engine runs from the levels of an op, and throws where the op lacks those that it needs.
template <class Choose>
auto custom_ops(const Program& program, const Registry& registry, const Choose& choose) {
  CustomOps<decltype(choose(CustomOp()))> all;
  for_each_custom(program, [&](const op::Custom& op, const Graph&) {
    if (!all.contains(op.name)) all.emplace(op.name, choose(registered(registry, op.name)));
  });
  return all;
}

// --------------------------------------------------------------------------------------------------------------- runs

// Within a catch block: throws what was caught as an Error that names the op.
[[noreturn]] void rethrow_from(std::string_view name);

// Calls a function of the host; what it throws becomes an Error that names the op.
template <class F>
auto from_host(std::string_view name, const F& function) {
  try {
    return function();
  } catch (...) {
    rethrow_from(name);
  }
}

// Throw where the results of a call are not what the op declares.
void check_result_count(const op::Custom& op, size_t actual);
[[noreturn]] void refuse_result(const op::Custom& op, size_t i, std::string actual, std::string expected);

// A type for CustomCall.
inline TensorType with_sizes(const TensorType& type, const Sizes& sizes) {
  return {type.dtype, Shape(sizes.begin(), sizes.end()), type.scheme};
}

// Calls a reference function and checks its results.
std::vector<Tensor> run_reference(const ReferenceOp& function, const op::Custom& op,
                                  const std::vector<Tensor>& operands, const CustomCall& call);

}  // namespace ingot
