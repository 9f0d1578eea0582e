#include "runtime/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <utility>

#include "program/error.h"
#include "program/text/suggest.h"
#include "runtime/active_extent.h"
#include "runtime/current_error.h"
#include "runtime/future_shared.h"
#include "runtime/prepared.h"
#include "runtime/session_data.h"
#include "runtime/worker.h"

namespace ingot {
namespace {

std::vector<NamedTensor> on_host(const Callee& callee, const std::vector<Handle>& outputs) {
  std::vector<NamedTensor> tensors;
  tensors.reserve(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    tensors.push_back({callee.method.outputs[i].name, callee.host.out(*outputs[i])});
  }
  return tensors;
}

// Whether values of one type can be values of the other, for some sizes of their symbols.
bool may_be(const TensorType& made, const TensorType& wanted) {
  return made.dtype == wanted.dtype && made.scheme == wanted.scheme &&
         std::ranges::equal(made.shape, wanted.shape, [](const Dim& a, const Dim& b) {
           return !a.is_literal() || !b.is_literal() || a.literal() == b.literal();
         });
}

Error no_input(std::string_view name) { return {Code::not_found, fmt::format("no method has an input {}", name)}; }

bool has_input(const Program& program, std::string_view name) {
  return std::ranges::any_of(program.method_names(), [&](const std::string& method) {
    const Graph& graph = *program.method(method);
    return std::ranges::any_of(graph.inputs, [&](Ref input) { return graph.values[input.id].name == name; });
  });
}

// Why there is nothing of that name to read.
Error unbound(const Program& program, std::string_view name) {
  if (!has_input(program, name)) return no_input(name);
  return {Code::not_found, fmt::format("nothing is bound to input {}", name)};
}

// 3 for `out3`.
std::optional<size_t> output_position(std::string_view name) {
  size_t position = 0;
  if (!name.starts_with("out")) return std::nullopt;
  const char* end = name.data() + name.size();
  const auto [read, error] = std::from_chars(name.data() + 3, end, position);
  return read == end && error == std::errc() ? std::optional(position) : std::nullopt;
}

}  // namespace

static bool are_whole(const std::vector<Handle>& states) { return std::ranges::find(states, nullptr) == states.end(); }

static Error in_a_call() {
  return Error(Code::misuse, "the session is in a call: an op of the host cannot use the one that runs it");
}

void Session::Data::check_caller() const {
  if (caller.thread.load() == std::this_thread::get_id()) throw in_a_call();
}

void Session::Data::settle() {
  check_caller();
  while (!pending.empty()) retire();
  if (caller.thread.load() != std::thread::id()) throw in_a_call();  // of another thread, which the device has
}

void Session::Data::retire() {
  const std::optional<Error> error = pending.front().call.error();
  const bool failed = error && error->code() != Code::cancelled;
  if (failed && pending.front().is_synced && !failure) failure = error;
  pending.pop_front();
}

void Session::Data::make_room(size_t most, WhenFull when_full, const Worker& worker) {
  while (!pending.empty() && pending.front().call.ready()) retire();
  if (pending.size() < most) return;
  if (when_full == WhenFull::refuse) {
    throw Error::mismatch(Code::limit, "", "the number of pending calls", std::to_string(pending.size()),
                          fmt::format("less than {}", most));
  }
  if (worker.is_this_thread()) throw Error(Code::limit, "the thread that runs submitted calls cannot wait for one");
  while (pending.size() >= most) retire();
}

void Session::Data::call(const Callee& callee, Invocation& invocation, const CallOptions& options) {
  const auto check_cancelled = [&] {
    if (options.cancelled && *options.cancelled) {
      throw Error(Code::cancelled, "the call was cancelled").in_op(callee.method.name);
    }
  };
  check_cancelled();
  check_states();
  outputs.clear();  // a state among them could not be written in place
  invocation.cancelled = options.cancelled;
  invocation.states.swap(states);
  caller.thread = std::this_thread::get_id();
  try {
    callee.compiled->start(invocation);
    handed_over = std::chrono::steady_clock::now();
    if (!options.may_be_under_way || !invocation.certain()) invocation.wait();
    if (options.accept) options.accept(invocation.outputs);
    if (are_whole(invocation.states)) check_cancelled();  // else there is no way back
  } catch (...) {
    caller.thread = std::thread::id();
    invocation.release();
    invocation.states.swap(states);
    throw;
  }
  caller.thread = std::thread::id();
  for (const Fed& fed : options.fed) bound[fed.place] = invocation.outputs[fed.output];
  invocation.commit();
  invocation.states.swap(states);
}

std::vector<Fed> Session::Data::fed_by(const Graph& method) const {
  std::vector<Fed> fed;
  for (const auto& [place, output] : feeds) {
    const auto made = std::ranges::find(method.outputs, output, &Output::name);
    if (made != method.outputs.end()) fed.push_back({place, static_cast<size_t>(made - method.outputs.begin())});
  }
  return fed;
}

void Session::Data::check_states() const {
  if (are_whole(states)) return;
  throw Error(Code::internal, "the device failed while it wrote states in place: reset them, or restore a snapshot");
}

// ------------------------------------------------------------------------------------------------------------- calls

Session::Session(Executable executable)
    : executable_(std::move(executable)), data_(std::make_shared<Data>(executable_.compiled())) {
  reset();
}

Session::Session(Executable executable, std::shared_ptr<Data> data)
    : executable_(std::move(executable)), data_(std::move(data)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Session::Data& Session::data() const {
  if (!data_) throw Error(Code::misuse, "the session was moved from");
  return *data_;
}

Session::Data& Session::settled() const {
  data().settle();
  return *data_;
}

const Executable& Session::executable() const {
  data();
  return executable_;
}

const std::vector<Handle>& Session::states() const {
  settled().check_states();
  for (const Handle& state : data_->states) state->wait();  // once they are shared, nothing about them changes
  return data_->states;
}

std::vector<NamedTensor> Session::run(const std::vector<NamedTensor>& inputs, std::string_view method) {
  Data& data = settled();
  std::optional<std::vector<NamedTensor>> few;
  const Callee callee = this->callee(method, inputs, few);
  std::unique_ptr<Invocation> call = invocation_of(callee, few ? *few : inputs, data.bound);
  data.call(callee, *call, {.fed = data.fed_by(callee.method)});
  std::vector<Handle> outputs = std::move(call->outputs);
  call.reset();
  std::vector<NamedTensor> tensors = on_host(callee, outputs);
  data.outputs = std::move(outputs);
  return tensors;
}

std::vector<Handle> Session::run_on_device(const std::vector<Handle>& inputs, std::string_view method) {
  Data& data = settled();
  const Callee callee = callee_of(executable_, method);
  const std::unique_ptr<Invocation> call = invocation_of(callee, inputs);
  data.call(callee, *call, {.fed = data.fed_by(callee.method)});
  data.outputs = std::move(call->outputs);
  return data.outputs;
}

Handle Session::upload(const Tensor& tensor) const {
  check_contents("the tensor", tensor);
  return data().compiled->upload(tensor);
}

void Session::set_active_extent(int64_t actual, int64_t upper) {
  if (actual < 0 || actual > upper) {
    throw Error::mismatch(Code::invalid_argument, "", "active extent", std::to_string(actual),
                          fmt::format("0 to {}", upper));
  }
  Data& data = settled();
  executable_.check_rows(upper);
  data.active = actual == upper ? nullptr : executable_.active_extent(upper);
  data.active_rows = actual;
}

Callee Session::callee(std::string_view name, const std::vector<NamedTensor>& inputs,
                       std::optional<std::vector<NamedTensor>>& few) const {
  if (data_->active) {
    const Graph& method = executable_.method(name);
    const ActiveExtent& active = *data_->active;
    const ActiveMethod& about = active.method(method.name);
    if (about.applies()) few = first_rows(about, method, inputs, data_->bound, data_->active_rows, active.upper);
    if (few) return callee_of(active.executable, method.name);
  }
  return callee_of(executable_, name);
}

Callee Session::callee_of(const Executable& executable, std::string_view method) {
  const Graph& graph = executable.method(method);
  return {graph, executable.id(graph), executable.compiled(), executable.host_types()};
}

Future Session::submit(const std::vector<NamedTensor>& inputs, std::string_view method, WhenFull when_full) {
  return post(inputs, method, when_full, nullptr);
}

void Session::sync() {
  std::optional<Error>& failure = settled().failure;
  if (failure) throw Error(*std::exchange(failure, std::nullopt));
}

Future Session::post(const std::vector<NamedTensor>& inputs, std::string_view method, WhenFull when_full,
                     const std::shared_ptr<std::atomic<bool>>& failed) {
  data().check_caller();
  data_->make_room(executable_.pending_calls(), when_full, executable_.worker());
  // What is bound may change until the call begins, where an output is fed back.
  if (!data_->feeds.empty()) settled();
  std::optional<std::vector<NamedTensor>> few;
  const Callee callee = this->callee(method, inputs, few);
  const std::shared_ptr<Invocation> call = invocation_of(callee, few ? *few : inputs, data_->bound);
  call->weights = callee.compiled->weights();
  auto shared = std::make_shared<Future::Shared>(callee.host);
  const bool may_be_under_way = executable_.mode() == "async";
  executable_.worker().post([=, data = data_] {
    try {
      if (failed && *failed) throw Error(Code::cancelled, "a call before this one failed").in_op(callee.method.name);
      const std::vector<Fed> fed = data->fed_by(callee.method);
      data->call(callee, *call, {.fed = fed, .cancelled = shared->cancelled, .may_be_under_way = may_be_under_way});
      std::vector<std::string> names;
      for (const Output& output : callee.method.outputs) names.push_back(output.name);
      shared->finish(std::move(names), call);
    } catch (...) {
      if (failed) *failed = true;
      shared->fail(current_error());
    }
  });
  data_->pending.push_back({Future(shared), !failed});
  return Future(shared);
}

std::vector<std::vector<NamedTensor>> Session::run_pipelined(std::span<const std::vector<NamedTensor>> batches,
                                                             const PipelineOptions& options) {
  std::vector<std::vector<NamedTensor>> results;
  results.reserve(batches.size());
  auto next = batches.begin();
  const auto source = [&] { return next == batches.end() ? std::nullopt : std::optional(*next++); };
  run_pipelined(source, [&](std::vector<NamedTensor> outputs) { results.push_back(std::move(outputs)); }, options);
  return results;
}

void Session::run_pipelined(const std::function<std::optional<std::vector<NamedTensor>>()>& source,
                            const std::function<void(std::vector<NamedTensor> outputs)>& sink,
                            const PipelineOptions& options) {
  if (options.depth == 0) throw Error::mismatch(Code::invalid_argument, "", "depth", "0", "1 or more");
  if (!source || !sink) throw Error(Code::invalid_argument, "a pipeline needs a source and a sink");
  data();
  executable_.method(options.method);  // throws where there is none
  std::deque<Future> under_way;
  const auto collect = [&] {
    std::vector<NamedTensor> outputs = under_way.front().result();
    under_way.pop_front();
    sink(std::move(outputs));
  };
  const auto failed = std::make_shared<std::atomic<bool>>(false);
  std::exception_ptr refusal;  // of a batch that was not posted: those before it still count
  try {
    for (bool more = true; more;) {
      if (under_way.size() == options.depth) collect();
      try {
        const std::optional<std::vector<NamedTensor>> batch = source();
        more = batch.has_value();
        if (batch) under_way.push_back(post(*batch, options.method, WhenFull::wait, failed));
      } catch (...) {
        refusal = std::current_exception();
        more = false;
      }
    }
    while (!under_way.empty()) collect();
  } catch (...) {
    *failed = true;
    settled();
    throw;
  }
  if (refusal) std::rethrow_exception(refusal);
}

std::chrono::steady_clock::time_point Session::handed_over() const { return settled().handed_over; }

PreparedCall Session::prepare(std::string_view method) {
  settled();
  return PreparedCall(*this, executable_.method(method).name);
}

// --------------------------------------------------------------------------------------------------- inputs that stay

void Session::bind(std::string_view input, const Tensor& tensor) {
  Data& data = settled();
  const HostTypes host = executable_.host_types();
  std::optional<Tensor> fitting;  // as it is for one of the methods, or else broadcast for one
  std::optional<Error> refusal;
  for (const std::string& name : executable_.program().method_names()) {
    const Graph& method = *executable_.program().method(name);
    for (Ref ref : method.inputs) {
      if (method.values[ref.id].name != input) continue;
      try {
        const Tensor given = host.in(tensor, method.type(ref));
        const Tensor fits = fitted(fmt::format("input {}", input), given, method.type(ref));
        if (!fitting || fits.sizes() == tensor.sizes()) fitting = fits;
      } catch (Error& error) {
        refusal = error.in_op(name);
      }
    }
  }
  if (!fitting) throw refusal ? *refusal : no_input(input);
  data.bound[data.bound.place_of(input)] = data.compiled->upload(*fitting);
}

void Session::unbind(std::string_view input) {
  Data& data = settled();
  const size_t place = data.bound.place_of(input);
  const size_t ended = std::erase_if(data.feeds, [&](const auto& feed) { return feed.first == place; });
  if (ended == 0 && !data.bound[place]) throw unbound(executable_.program(), input);
  data.bound[place] = nullptr;
  ++data.feed_changes;
}

bool Session::is_bound(std::string_view input) const {
  if (settled().bound.find(input)) return true;
  if (!has_input(executable_.program(), input)) throw no_input(input);
  return false;
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
  if (wanted.empty()) throw no_input(input);
  if (made.empty()) throw Error(Code::not_found, fmt::format("no method has an output {}", output));
  for (const TensorType& from : made) {
    for (const TensorType& to : wanted) {
      if (may_be(from, to)) continue;
      throw Error::mismatch(Code::type_mismatch, "", fmt::format("output {}", output), to_string(from),
                            fmt::format("{} for input {}", to_string(to), input));
    }
  }
  data.feeds.emplace_back(data.bound.place_of(input), output);
  ++data.feed_changes;
}

void Session::feed(std::string_view input, size_t output, std::string_view method) {
  const Graph& graph = executable().method(method);
  if (output >= graph.outputs.size()) {
    throw Error::mismatch(Code::out_of_range, graph.name, "position of an output", std::to_string(output),
                          fmt::format("less than {}", graph.outputs.size()));
  }
  feed(input, graph.outputs[output].name);
}

Tensor Session::read(std::string_view name) const {
  const Data& data = settled();
  const HostTypes host = executable_.host_types();
  if (const Handle bound = data.bound.find(name)) return host.out(*bound);
  const std::optional<size_t> position = output_position(name);
  if (has_input(executable_.program(), name) || !position) throw unbound(executable_.program(), name);
  if (*position < data.outputs.size()) return host.out(*data.outputs[*position]);
  throw Error(Code::not_found,
              fmt::format("there is no {}: the latest run has left {} outputs", name, data.outputs.size()));
}

// ------------------------------------------------------------------------------------------------------------- state

size_t Session::state_index(std::string_view name) const {
  const std::vector<State>& states = executable().program().states;
  std::vector<std::string_view> names;
  for (size_t i = 0; i < states.size(); ++i) {
    if (states[i].name == name) return i;
    names.push_back(states[i].name);
  }
  throw Error(Code::not_found, fmt::format("there is no state {}{}", name, did_you_mean(name, names)));
}

Tensor Session::state(std::string_view name) const {
  const size_t index = state_index(name);
  return executable_.host_types().out(*states()[index]);
}

void Session::set_state(std::string_view name, const Tensor& contents) {
  const size_t index = state_index(name);
  const TensorType& type = executable_.program().states[index].type;
  const HostTypes host = executable_.host_types();
  check_type(fmt::format("state {}", name), contents, host.in(type, contents.dtype()));
  settled().states[index] = data_->compiled->upload(host.in(contents, type));
}

void Session::reset() {
  Data& data = settled();
  data.states = executable_.initial_states();
}

Session Session::fork() const {
  states();
  auto forked = std::make_shared<Data>(*data_);
  forked->outputs.clear();
  forked->failure.reset();
  return Session(executable_, std::move(forked));
}

Snapshot Session::snapshot() const {
  Snapshot snapshot;
  snapshot.compiled_ = data().compiled;
  for (const State& state : executable_.program().states) snapshot.names_.push_back(state.name);
  snapshot.states_ = states();
  return snapshot;
}

void Session::restore(const Snapshot& snapshot) {
  snapshot.check();
  const std::vector<State>& states = executable().program().states;
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
  for (const Handle& state : states()) bytes += byte_count(state->dtype(), state->sizes(), state->scheme());
  return bytes;
}

}  // namespace ingot
