#include "runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <new>
#include <utility>

#include "program/error.h"
#include "program/text/suggest.h"
#include "runtime/future_shared.h"
#include "runtime/prepared.h"
#include "runtime/session_data.h"
#include "runtime/worker.h"

namespace ingot {
namespace {

std::vector<NamedTensor> on_host(const Graph& method, const std::vector<Handle>& outputs) {
  std::vector<NamedTensor> tensors;
  tensors.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) tensors.push_back({method.outputs[i].name, outputs[i]->to_host()});
  return tensors;
}

// What is being handled, as a value.
Error current_error() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(Code::limit, "the system has no more memory");
  } catch (const std::exception& error) {
    return Error(Code::internal, error.what());
  } catch (...) {
    return Error(Code::internal, "the call threw something that is no std::exception");
  }
}

// Whether values of one type can be values of the other, for some sizes of their symbols.
bool may_be(const TensorType& made, const TensorType& wanted) {
  return made.dtype == wanted.dtype && made.scheme == wanted.scheme &&
         std::ranges::equal(made.shape, wanted.shape, [](const Dim& a, const Dim& b) {
           return !a.is_literal() || !b.is_literal() || a.literal() == b.literal();
         });
}

}  // namespace

void Session::Data::settle() {
  if (!last) return;
  last->wait();
  last.reset();
}

std::vector<Handle> Session::Data::call(const Graph& method, GraphId id, Arguments arguments,
                                        std::shared_ptr<const std::atomic<bool>> cancelled,
                                        const std::function<void(const std::vector<Handle>& outputs)>& accept) {
  const auto check_cancelled = [&] {
    if (cancelled && *cancelled) throw Error(Code::cancelled, "the call was cancelled").in_op(method.name);
  };
  check_cancelled();
  const std::unique_ptr<Pending> pending =
      compiled->start({id, std::move(arguments.bindings), std::move(arguments.inputs), states, cancelled});
  handed_over = std::chrono::steady_clock::now();
  pending->wait();
  if (accept) accept(pending->outputs);
  check_cancelled();
  if (!feeds.empty()) {
    Bound fed = bound;
    for (const auto& [input, output] : feeds) {
      const auto made = std::ranges::find(method.outputs, output, &Output::name);
      if (made == method.outputs.end()) continue;
      fed.insert_or_assign(input, pending->outputs[static_cast<size_t>(made - method.outputs.begin())]);
    }
    bound.swap(fed);
  }
  states.swap(pending->states);
  return std::move(pending->outputs);
}

// ------------------------------------------------------------------------------------------------------------- calls

Session::Session(Executable executable)
    : executable_(std::move(executable)), data_(std::make_shared<Data>(Data{executable_.compiled(), {}, {}, {}, {}})) {
  reset();
}

Session::Session(Executable executable, std::shared_ptr<Data> data)
    : executable_(std::move(executable)), data_(std::move(data)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session::Data& Session::settled() const {
  data_->settle();
  return *data_;
}

std::vector<NamedTensor> Session::run(const std::vector<NamedTensor>& inputs, std::string_view method) {
  const Graph& graph = executable_.method(method);
  Data& data = settled();
  Arguments arguments = arguments_of(graph, inputs, data.bound, *data.compiled);
  return on_host(graph, data.call(graph, executable_.id(graph), std::move(arguments), nullptr));
}

Future Session::submit(const std::vector<NamedTensor>& inputs, std::string_view method) {
  return post(inputs, method, nullptr);
}

Future Session::post(const std::vector<NamedTensor>& inputs, std::string_view method,
                     const std::shared_ptr<bool>& failed) {
  const Graph& graph = executable_.method(method);
  // What is bound may change until the call begins, where an output is fed back.
  if (!data_->feeds.empty()) settled();
  Arguments arguments = arguments_of(graph, inputs, data_->bound, *data_->compiled);
  auto shared = std::make_shared<Future::Shared>();
  const GraphId id = executable_.id(graph);
  executable_.worker().post([shared, data = data_, &graph, id, failed, arguments = std::move(arguments)]() mutable {
    std::vector<NamedTensor> outputs;
    std::optional<Error> error;
    try {
      if (failed && *failed) throw Error(Code::cancelled, "a call before this one failed").in_op(graph.name);
      outputs = on_host(graph, data->call(graph, id, std::move(arguments), shared->cancelled));
    } catch (...) {
      error = current_error();
      if (failed) *failed = true;
    }
    shared->finish(std::move(outputs), std::move(error));
  });
  data_->last = Future(shared);
  return Future(shared);
}

std::vector<std::vector<NamedTensor>> Session::run_pipelined(std::span<const std::vector<NamedTensor>> batches,
                                                             const PipelineOptions& options) {
  if (options.depth == 0) throw Error::mismatch(Code::invalid_argument, "", "depth", "0", "1 or more");
  std::vector<std::vector<NamedTensor>> results;
  results.reserve(batches.size());
  std::deque<Future> under_way;
  const auto collect = [&] {
    results.push_back(under_way.front().result());
    under_way.pop_front();
  };
  const auto failed = std::make_shared<bool>(false);  // read and written by the worker alone
  std::exception_ptr refusal;
  try {
    for (const std::vector<NamedTensor>& batch : batches) {
      if (under_way.size() == options.depth) collect();
      try {
        under_way.push_back(post(batch, options.method, failed));
      } catch (...) {
        refusal = std::current_exception();
        break;
      }
    }
    while (!under_way.empty()) collect();
  } catch (...) {
    settled();
    throw;
  }
  if (refusal) std::rethrow_exception(refusal);
  return results;
}

std::chrono::steady_clock::time_point Session::handed_over() const { return settled().handed_over; }

PreparedCall Session::prepare(std::string_view method) { return PreparedCall(*this, executable_.method(method)); }

// --------------------------------------------------------------------------------------------------- inputs that stay

void Session::bind(std::string_view input, const Tensor& tensor) {
  Data& data = settled();
  bool known = false;
  for (const std::string& name : executable_.program().method_names()) {
    const Graph& method = *executable_.program().method(name);
    for (Ref ref : method.inputs) {
      if (method.values[ref.id].name != input) continue;
      known = true;
      check_type(fmt::format("input {}", input), tensor, method.type(ref));
    }
  }
  if (!known) throw Error(Code::not_found, fmt::format("no method has an input {}", input));
  data.bound.insert_or_assign(std::string(input), data.compiled->upload(tensor));
}

void Session::unbind(std::string_view input) {
  Data& data = settled();
  const auto found = data.bound.find(input);
  if (found == data.bound.end()) throw Error(Code::not_found, fmt::format("nothing is bound to input {}", input));
  data.bound.erase(found);
}

void Session::feed(std::string_view input, std::string_view output) {
  Data& data = settled();
  const Program& program = executable_.program();
  std::vector<TensorType> wanted, made;
  for (const std::string& name : program.method_names()) {
    const Graph& method = *program.method(name);
    for (Ref ref : method.inputs) {
      if (method.values[ref.id].name == input) wanted.push_back(method.type(ref));
    }
    for (const Output& each : method.outputs) {
      if (each.name == output) made.push_back(method.type(each.value));
    }
  }
  if (wanted.empty()) throw Error(Code::not_found, fmt::format("no method has an input {}", input));
  if (made.empty()) throw Error(Code::not_found, fmt::format("no method has an output {}", output));
  for (const TensorType& from : made) {
    for (const TensorType& to : wanted) {
      if (may_be(from, to)) continue;
      throw Error::mismatch(Code::type_mismatch, "", fmt::format("output {}", output), to_string(from),
                            fmt::format("{} for input {}", to_string(to), input));
    }
  }
  data.feeds.emplace_back(input, output);
}

Tensor Session::read(std::string_view input) const {
  const Data& data = settled();
  const auto found = data.bound.find(input);
  if (found != data.bound.end()) return found->second->to_host();
  throw Error(Code::not_found, fmt::format("nothing is bound to input {} yet", input));
}

// ------------------------------------------------------------------------------------------------------------- state

size_t Session::state_index(std::string_view name) const {
  const std::vector<State>& states = executable_.program().states;
  std::vector<std::string_view> names;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].name == name) return i;
    names.push_back(states[i].name);
  }
  throw Error(Code::not_found, fmt::format("there is no state {}{}", name, did_you_mean(name, names)));
}

Tensor Session::state(std::string_view name) const {
  const size_t index = state_index(name);
  return settled().states[index]->to_host();
}

void Session::set_state(std::string_view name, const Tensor& contents) {
  const size_t index = state_index(name);
  check_type(fmt::format("state {}", name), contents, executable_.program().states[index].type);
  settled().states[index] = data_->compiled->upload(contents);
}

void Session::reset() { settled().states = executable_.initial_states(); }

Session Session::fork() const { return Session(executable_, std::make_shared<Data>(settled())); }

Snapshot Session::snapshot() const {
  Snapshot snapshot;
  snapshot.compiled_ = data_->compiled;
  for (const State& state : executable_.program().states) snapshot.names_.push_back(state.name);
  snapshot.states_ = settled().states;
  return snapshot;
}

void Session::restore(const Snapshot& snapshot) {
  const std::vector<State>& states = executable_.program().states;
  if (!std::ranges::equal(snapshot.names_, states, {}, {}, &State::name)) {
    throw Error(Code::type_mismatch, "the snapshot is one of other states");
  }
  for (size_t i = 0; i < states.size(); ++i) {
    const DeviceTensor& saved = *snapshot.states_[i];
    check_type(fmt::format("state {}", states[i].name), saved.dtype(), saved.sizes(), saved.scheme(), states[i].type);
  }
  Data& data = settled();
  std::vector<Handle> restored = snapshot.states_;
  if (snapshot.compiled_ != data.compiled) {  // its engine cannot read another's handles
    for (Handle& state : restored) state = data.compiled->upload(state->to_host());
  }
  data.states = std::move(restored);
}

int64_t Session::state_bytes() const {
  int64_t bytes = 0;
  for (const Handle& state : settled().states) bytes += byte_count(state->dtype(), state->sizes(), state->scheme());
  return bytes;
}

}  // namespace ingot
