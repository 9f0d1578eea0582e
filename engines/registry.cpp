#include "engines/registry.h"

#include <fmt/format.h>

#include <mutex>
#include <new>

#include "program/debug.h"
#include "program/infer.h"

namespace ingot {
namespace {

void check_name(const std::string& name) {
  if (name.empty()) throw Error(Code::invalid_argument, "the name of a custom op is empty, expected a name");
}

Error not_callable(std::string_view name, std::string_view what) {
  return Error(Code::invalid_argument, fmt::format("{} of op '{}' is empty, expected a function", what, name));
}

Error already_there(std::string_view name, std::string_view what) {
  return Error(Code::invalid_argument, fmt::format("op '{}' has {} already", name, what));
}

Error nothing_to_replace(std::string_view name, std::string_view what) {
  return Error(Code::not_found, fmt::format("op '{}' does not have {} that could be replaced", name, what));
}

void note_replaced(std::string_view name, std::string_view what) {
  debug(1, [&] { return fmt::format("replaces {} of op '{}'", what, name); });
}

std::shared_ptr<const CustomMeaning> checked(const std::string& name, CustomMeaning meaning) {
  check_name(name);
  if (!meaning.infer) throw not_callable(name, "inference");
  return std::make_shared<const CustomMeaning>(std::move(meaning));
}

std::shared_ptr<const std::any> checked(const std::string& name, std::string_view engine, std::any function) {
  check_name(name);
  if (!function.has_value()) throw not_callable(name, fmt::format("execution on {}", engine));
  return std::make_shared<const std::any>(std::move(function));
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------- registry

Error execution_of_another_type(std::string_view name, std::string_view engine) {
  return Error(Code::invalid_argument,
               fmt::format("the execution of op '{}' on {} is not of the type that this engine calls", name, engine));
}

void Registry::add_meaning(const std::string& name, CustomMeaning meaning) {
  auto shared = checked(name, std::move(meaning));
  const std::lock_guard lock(mutex_);
  CustomOp& op = ops_[name];
  if (op.meaning) throw already_there(name, "a meaning");
  op.meaning = std::move(shared);
}

void Registry::replace_meaning(const std::string& name, CustomMeaning meaning) {
  auto shared = checked(name, std::move(meaning));
  const std::lock_guard lock(mutex_);
  const auto op = ops_.find(name);
  if (op == ops_.end() || !op->second.meaning) throw nothing_to_replace(name, "a meaning");
  op->second.meaning = std::move(shared);
  note_replaced(name, "the meaning");
}

void Registry::add_reference(const std::string& name, ReferenceOp function) {
  add_execution(name, "reference", std::move(function));
}

void Registry::replace_reference(const std::string& name, ReferenceOp function) {
  replace_execution(name, "reference", std::move(function));
}

void Registry::add(const std::string& name, std::string_view engine, std::any function) {
  auto shared = checked(name, engine, std::move(function));
  const std::lock_guard lock(mutex_);
  const bool added = ops_[name].executions.emplace(engine, std::move(shared)).second;
  if (!added) throw already_there(name, fmt::format("an execution on {}", engine));
}

void Registry::replace(const std::string& name, std::string_view engine, std::any function) {
  auto shared = checked(name, engine, std::move(function));
  const std::lock_guard lock(mutex_);
  const auto op = ops_.find(name);
  if (op == ops_.end() || !op->second.executions.contains(engine)) {
    throw nothing_to_replace(name, fmt::format("an execution on {}", engine));
  }
  op->second.executions.find(engine)->second = std::move(shared);
  note_replaced(name, fmt::format("the execution on {}", engine));
}

std::optional<CustomOp> Registry::find(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = ops_.find(name);
  if (found == ops_.end()) return std::nullopt;
  CustomOp op = found->second;
  op.name = name;
  return op;
}

const std::shared_ptr<Registry>& default_registry() {
  static const auto registry = std::make_shared<Registry>();
  return registry;
}

// -------------------------------------------------------------------------------------------------------- compilation

void for_each_custom(const Program& program, const std::function<void(const op::Custom&, const Graph&)>& function) {
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      const auto* custom = node.op.get_if<op::Custom>();
      if (!custom) continue;
      try {
        function(*custom, graph);
      } catch (Error& error) {
        error.in_op(mnemonic(node.op)).at_node(place_of(graph, node));
        throw;
      }
    }
  }
}

CustomOp registered(const Registry& registry, std::string_view name) {
  if (std::optional<CustomOp> op = registry.find(name)) return *std::move(op);
  throw Error(Code::unsupported, fmt::format("the host has registered no op '{}'", name));
}

void check_meanings(const Program& program, const Registry& registry) {
  for_each_custom(program, [&](const op::Custom& op, const Graph& graph) {
    const auto meaning = registered(registry, op.name).meaning;
    if (!meaning) throw Error(Code::unsupported, fmt::format("the host has registered no meaning of op '{}'", op.name));
    std::vector<TensorType> operands;
    for (Ref operand : op.operands) operands.push_back(graph.type(operand));
    const auto inferred = from_host(op.name, [&] { return meaning->infer(operands, op.attributes); });

    const Scope scope{program, graph, "custom"};
    constexpr std::string_view why = "by inference";
    require_count(scope, fmt::format("number of results of '{}'", op.name), op.results.size(), inferred.size(), why);
    for (size_t i = 0; i < inferred.size(); ++i) {
      require_type(scope, fmt::format("result {} of '{}'", i, op.name), op.results[i], inferred[i], why);
    }
  });
}

// --------------------------------------------------------------------------------------------------------------- runs

void rethrow_from(std::string_view name) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(Code::limit, fmt::format("op '{}' of the host has no more memory", name));
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("op '{}' of the host refuses: {}", name, error.what()));
  } catch (const std::exception& error) {
    throw Error(Code::invalid_argument, fmt::format("op '{}' of the host throws: {}", name, error.what()));
  } catch (...) {
    throw Error(Code::invalid_argument, fmt::format("op '{}' of the host throws something without a text", name));
  }
}

void check_result_count(const op::Custom& op, size_t actual) {
  if (actual == op.results.size()) return;
  throw Error::mismatch(Code::type_mismatch, "", fmt::format("number of results of '{}'", op.name),
                        std::to_string(actual), std::to_string(op.results.size()));
}

void refuse_result(const op::Custom& op, size_t i, std::string actual, std::string expected) {
  throw Error::mismatch(Code::type_mismatch, "", fmt::format("result {} of '{}'", i, op.name), std::move(actual),
                        std::move(expected));
}

std::vector<Tensor> run_reference(const ReferenceOp& function, const op::Custom& op,
                                  const std::vector<Tensor>& operands, const CustomCall& call) {
  std::vector<Tensor> results = from_host(op.name, [&] { return function(operands, call); });
  check_result_count(op, results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorType actual = results[i].type();
    if (actual != call.result_types[i]) refuse_result(op, i, to_string(actual), to_string(call.result_types[i]));
  }
  return results;
}

}  // namespace ingot
