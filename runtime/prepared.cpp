#include "runtime/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "program/error.h"
#include "runtime/active_extent.h"
#include "runtime/session_data.h"

namespace ingot {
namespace {

constexpr size_t alignment = 64;  // of outputs in the arena

size_t checked(size_t position, size_t count, std::string_view what, const Graph& method) {
  if (position < count) return position;
  throw Error::mismatch(Code::out_of_range, method.name, fmt::format("position of an {}", what),
                        std::to_string(position), fmt::format("less than {}", count));
}

}  // namespace

PreparedCall::PreparedCall(Session& session, const std::string& method)
    : executable_(session.executable_),
      data_(session.data_),
      active_(data_->active && data_->active->method(method).applies() ? data_->active : nullptr),
      active_rows_(data_->active_rows),
      callee_(std::make_unique<const Callee>(Session::callee_of(active_ ? active_->executable : executable_, method))),
      method_(callee_->method),
      call_(callee_->compiled->invocation(callee_->id)),
      inputs_(method_.inputs.size()),
      buffers_(method_.outputs.size()) {
  for (const Output& output : method_.outputs) output_types_.push_back(callee_->host.out(method_.type(output.value)));
  for (Ref input : method_.inputs) session_inputs_.push_back(data_->bound.place_of(method_.values[input.id].name));
}

PreparedCall::PreparedCall(PreparedCall&&) noexcept = default;
PreparedCall::~PreparedCall() = default;

void PreparedCall::check() const {
  if (!data_) throw Error(Code::misuse, "the prepared call was moved from");
}

void PreparedCall::bind_input(size_t position, const Tensor& given) {
  check();
  const Ref input = method_.inputs[checked(position, inputs_.size(), "input", method_)];
  const Tensor tensor = rows_of(position, given);
  try {
    const TensorType declared = callee_->host.in(method_.type(input), tensor.dtype());
    check_type(fmt::format("input {}", method_.values[input.id].name), tensor, declared);
  } catch (Error& error) {
    throw error.in_op(method_.name);
  }
  inputs_[position] = tensor;
}

void PreparedCall::bind_output(size_t position, std::span<std::byte> buffer) {
  check();
  checked(position, buffers_.size(), "output", method_);
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const std::less<> before;
    const bool apart = !before(buffer.data(), buffers_[i].data() + buffers_[i].size()) ||
                       !before(buffers_[i].data(), buffer.data() + buffer.size());
    if (i == position || apart) continue;
    throw Error(Code::invalid_argument, fmt::format("the buffers of outputs {} and {} overlap", i, position))
        .in_op(method_.name);
  }
  buffers_[position] = buffer;
  settled_ = false;
}

Tensor PreparedCall::rows_of(size_t position, const Tensor& tensor) const {
  if (!active_) return tensor;
  return first_rows(active_->method(method_.name), method_, position, tensor, active_rows_, active_->upper);
}

Handle PreparedCall::uploaded(size_t position, Handle instead) {
  const Tensor& tensor = *inputs_[position];
  const Value& input = method_.values[method_.inputs[position].id];
  check_contents(input.name, tensor);  // which the caller may have changed
  const auto upload = [&](const Tensor& given) { return callee_->compiled->upload(given, std::move(instead)); };
  if (!callee_->host.converts(tensor.dtype(), input.type.dtype)) return upload(tensor);
  return upload(tensor.to(input.type.dtype));
}

// What was fed there has been checked by nobody.
Handle PreparedCall::from_session(size_t position) const {
  const Ref input = method_.inputs[position];
  const std::string& name = method_.values[input.id].name;
  const TensorType& declared = method_.type(input);
  const Handle& bound = data_->bound[session_inputs_[position]];
  if (!bound) throw Error::mismatch(Code::invalid_argument, "", "input " + name, "missing", to_string(declared));
  check_type("input " + name, bound->dtype(), bound->sizes(), bound->scheme(), declared);
  if (active_ && active_->method(method_.name).inputs[position] && bound->sizes()[0] != active_rows_) {
    throw Error::mismatch(Code::type_mismatch, "", "number of rows of input " + name + ", which the session has bound,",
                          std::to_string(bound->sizes()[0]), std::to_string(active_rows_));
  }
  return bound;
}

void PreparedCall::settle_sizes(std::vector<Sizes> sizes) {
  settled_ = false;
  sizes_ = std::move(sizes);
  call_->bindings = bindings_of(method_, sizes_);
  place_outputs();
  settled_ = true;
}

std::optional<Sizes> PreparedCall::known_input_sizes(size_t position) const {
  if (inputs_[position]) return inputs_[position]->sizes();
  if (const Handle& bound = data_->bound[session_inputs_[position]]) return bound->sizes();
  return known_sizes(method_.type(method_.inputs[position]).shape, {});
}

void PreparedCall::settle_known_sizes() {
  check();
  data_->settle();
  std::vector<Sizes> sizes;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    std::optional<Sizes> known = known_input_sizes(i);
    if (!known) {
      throw Error(Code::misuse, fmt::format("the sizes of input {} are not known yet: bind it first",
                                            method_.values[method_.inputs[i].id].name))
          .in_op(method_.name);
    }
    sizes.push_back(std::move(*known));
  }
  if (settled_ && sizes == sizes_) return;
  try {
    settle_sizes(std::move(sizes));
  } catch (Error& error) {
    throw error.in_op(method_.name);
  }
}

const std::vector<size_t>& PreparedCall::offsets() {
  settle_known_sizes();
  return offsets_;
}

std::span<const std::byte> PreparedCall::arena() {
  settle_known_sizes();
  return arena_;
}

void PreparedCall::settle_feeds() {
  if (feed_changes_ == data_->feed_changes) return;
  fed_ = data_->fed_by(method_);
  feed_changes_ = data_->feed_changes;
}

void PreparedCall::place_outputs() {
  outputs_.assign(method_.outputs.size(), Tensor());
  offsets_.assign(method_.outputs.size(), 0);
  places_.assign(method_.outputs.size(), nullptr);
  size_t end = 0, all = 0;
  std::vector<std::optional<Sizes>> known;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    known.push_back(known_sizes(output_types_[i].shape, call_->bindings));
    if (!known[i]) continue;
    const size_t bytes = output_bytes(i, *known[i]);
    if (!buffers_[i].empty()) {
      check_buffer(i, bytes);
    } else {
      offsets_[i] = end;
      all += bytes;
      end += (bytes + alignment - 1) / alignment * alignment;
    }
  }
  const auto limit = static_cast<size_t>(executable_.limits().bytes);
  if (all > limit) {
    throw Error(Code::limit, fmt::format("outputs of {} bytes go beyond the limit of {}", all, limit));
  }
  resize_arena(end);
  for (size_t i = 0; i < outputs_.size(); ++i) {
    if (!buffers_[i].empty()) {
      places_[i] = buffers_[i].data();
    } else if (known[i]) {
      places_[i] = arena_.data() + offsets_[i];
    }
    if (known[i]) show(i, *known[i]);
  }
}

void PreparedCall::resize_arena(size_t bytes) {
  try {
    arena_.resize(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(Code::limit, fmt::format("outputs of {} bytes do not fit into memory", bytes));
  }
}

void PreparedCall::show(size_t position, const Sizes& sizes) {
  const TensorType& type = output_types_[position];
  const std::span<const std::byte> bytes(places_[position], output_bytes(position, sizes));
  outputs_[position] = Tensor(type.dtype, sizes, Buffer{nullptr, bytes}, type.scheme);
}

size_t PreparedCall::output_bytes(size_t position, const Sizes& sizes) const {
  const TensorType& type = output_types_[position];
  return static_cast<size_t>(byte_count(type.dtype, sizes, type.scheme));
}

void PreparedCall::check_buffer(size_t position, size_t bytes) const {
  if (buffers_[position].size() == bytes) return;
  throw Error::mismatch(Code::type_mismatch, method_.name,
                        fmt::format("buffer of output {}", method_.outputs[position].name),
                        fmt::format("{} bytes", buffers_[position].size()), fmt::format("{} bytes", bytes));
}

void PreparedCall::operator()() {
  check();
  called_ = false;
  data_->settle();
  std::vector<Handle>& inputs = call_->inputs;
  inputs.resize(inputs_.size());
  try {
    for (size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = inputs_[i] ? uploaded(i, std::move(inputs[i])) : from_session(i);
    }
    const auto as_before = [](const Handle& input, const Sizes& sizes) { return input->sizes() == sizes; };
    if (!settled_ || !std::ranges::equal(inputs, sizes_, as_before)) {
      std::vector<Sizes> sizes;
      for (const Handle& input : inputs) sizes.push_back(input->sizes());
      settle_sizes(std::move(sizes));
    }
  } catch (Error& error) {
    throw error.in_op(method_.name);
  }
  settle_feeds();
  const auto fit_their_buffers = [this](const std::vector<Handle>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (!buffers_[i].empty()) check_buffer(i, output_bytes(i, outputs[i]->sizes()));
    }
  };
  data_->call(*callee_, *call_, {.fed = fed_, .cancelled = {}, .accept = fit_their_buffers});
  for (size_t i = 0; i < outputs_.size(); ++i) deliver(i, *call_->outputs[i]);
  call_->release();
  called_ = true;
}

void PreparedCall::deliver(size_t position, const DeviceTensor& value) {
  if (!places_[position]) {
    outputs_[position] = callee_->host.out(value);
    return;
  }
  if (outputs_[position].sizes() != value.sizes()) show(position, value.sizes());
  const std::span<std::byte> place(places_[position], outputs_[position].bytes().size());
  if (outputs_[position].dtype() == value.dtype()) return value.read(place);
  const Tensor converted = callee_->host.out(value);
  std::ranges::copy(converted.bytes(), place.begin());
}

const Tensor& PreparedCall::output(size_t position) const {
  check();
  checked(position, buffers_.size(), "output", method_);
  if (!called_) throw Error(Code::misuse, "no call has filled the outputs yet").in_op(method_.name);
  return outputs_[position];
}

}  // namespace ingot
