#include "engines/registry.h"

#include <fmt/format.h>

#include <mutex>
#include <new>

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

}  // namespace

// ---------------------------------------------------------------------------------------------------------- registry

void Registry::add_meaning(const std::string& name, CustomMeaning meaning) {
  check_name(name);
  if (!meaning.infer) throw not_callable(name, "inference");
  auto shared = std::make_shared<const CustomMeaning>(std::move(meaning));
  const std::lock_guard lock(mutex_);
  Levels& levels = ops_[name];
  if (levels.meaning) throw already_there(name, "a meaning");
  levels.meaning = std::move(shared);
}

void Registry::add_reference(const std::string& name, ReferenceOp function) {
  add_execution(name, "reference", std::move(function));
}

void Registry::add(const std::string& name, std::string_view engine, std::any function) {
  check_name(name);
  if (!function.has_value()) throw not_callable(name, fmt::format("execution on {}", engine));
  auto shared = std::make_shared<const std::any>(std::move(function));
  const std::lock_guard lock(mutex_);
  const bool added = ops_[name].executions.emplace(engine, std::move(shared)).second;
  if (!added) throw already_there(name, fmt::format("an execution on {}", engine));
}

const Registry::Levels& Registry::levels(std::string_view name) const {
  const auto found = ops_.find(name);
  if (found != ops_.end()) return found->second;
  throw Error(Code::unsupported, fmt::format("the host has registered no op '{}'", name));
}

std::shared_ptr<const CustomMeaning> Registry::meaning(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  if (const auto& meaning = levels(name).meaning) return meaning;
  throw Error(Code::unsupported, fmt::format("the host has registered no meaning of op '{}'", name));
}

std::shared_ptr<const std::any> Registry::find(std::string_view name, std::string_view engine) const {
  const std::shared_lock lock(mutex_);
  const auto& executions = levels(name).executions;
  if (const auto found = executions.find(engine); found != executions.end()) return found->second;
  throw Error(Code::unsupported, fmt::format("the host has registered no execution of op '{}' on {}", name, engine));
}

Error Registry::of_another_type(std::string_view name, std::string_view engine) {
  return Error(Code::invalid_argument,
               fmt::format("the execution of op '{}' on {} is not of the type that this engine calls", name, engine));
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

void check_meanings(const Program& program, const Registry& registry) {
  for_each_custom(program, [&](const op::Custom& op, const Graph& graph) {
    const auto meaning = registry.meaning(op.name);
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

}  // namespace ingot
