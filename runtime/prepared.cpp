#include "runtime/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "program/error.h"
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

PreparedCall::PreparedCall(Session& session, const Graph& method)
    : session_(session),
      method_(method),
      id_(session.executable().id(method)),
      inputs_(method.inputs.size()),
      buffers_(method.outputs.size()) {}

void PreparedCall::bind_input(size_t position, const Tensor& tensor) {
  const Ref input = method_.inputs[checked(position, inputs_.size(), "input", method_)];
  try {
    check_type(fmt::format("input {}", method_.values[input.id].name), tensor, method_.type(input));
  } catch (Error& error) {
    throw error.in_op(method_.name);
  }
  if (!inputs_[position] || inputs_[position]->sizes() != tensor.sizes()) sizes_known_ = false;
  inputs_[position] = tensor;
}

void PreparedCall::bind_output(size_t position, std::span<std::byte> buffer) {
  buffers_[checked(position, buffers_.size(), "output", method_)] = buffer;
  sizes_known_ = false;
}

void PreparedCall::settle_sizes() {
  std::vector<Sizes> sizes;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Ref input = method_.inputs[i];
    if (!inputs_[i]) {
      throw Error::mismatch(Code::invalid_argument, method_.name, "input " + method_.values[input.id].name, "missing",
                            to_string(method_.type(input)));
    }
    sizes.push_back(inputs_[i]->sizes());
  }
  bindings_ = bindings_of(method_, sizes);
  place_outputs();
  sizes_known_ = true;
}

// Those whose size data decide have no place; a call gives them one.
void PreparedCall::place_outputs() {
  outputs_.assign(method_.outputs.size(), Tensor());
  offsets_.assign(method_.outputs.size(), 0);
  size_t end = 0;
  std::vector<std::pair<size_t, Sizes>> placed;
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const std::optional<Sizes> known = known_sizes(output_type(i).shape, bindings_);
    if (!known) continue;
    placed.emplace_back(i, *known);
    const size_t bytes = output_bytes(i, *known);
    if (buffers_[i].data()) {
      check_buffer(i, bytes);
    } else {
      offsets_[i] = end;
      end += (bytes + alignment - 1) / alignment * alignment;
    }
  }
  arena_.resize(end);
  for (const auto& [i, known] : placed) {
    const size_t bytes = output_bytes(i, known);
    const std::span<const std::byte> in_arena = std::span(arena_).subspan(buffers_[i].data() ? 0 : offsets_[i]);
    const std::span<const std::byte> place = buffers_[i].data() ? buffers_[i] : in_arena.first(bytes);
    outputs_[i] = Tensor(output_type(i).dtype, known, Buffer{nullptr, place}, output_type(i).scheme);
  }
}

size_t PreparedCall::output_bytes(size_t position, const Sizes& sizes) const {
  const TensorType& type = output_type(position);
  return static_cast<size_t>(byte_count(type.dtype, sizes, type.scheme));
}

void PreparedCall::check_buffer(size_t position, size_t bytes) const {
  if (buffers_[position].size() == bytes) return;
  throw Error::mismatch(Code::type_mismatch, method_.name,
                        fmt::format("buffer of output {}", method_.outputs[position].name),
                        fmt::format("{} bytes", buffers_[position].size()), fmt::format("{} bytes", bytes));
}

void PreparedCall::operator()() {
  if (!sizes_known_) settle_sizes();
  Session::Data& data = session_.settled();
  Arguments arguments{{}, bindings_};
  arguments.inputs.reserve(inputs_.size());
  for (const std::optional<Tensor>& input : inputs_) arguments.inputs.push_back(data.compiled->upload(*input));
  const std::vector<Handle> outputs = data.call(method_, id_, std::move(arguments), nullptr);
  for (size_t i = 0; i < outputs.size(); ++i) deliver(i, *outputs[i]);
}

void PreparedCall::deliver(size_t position, const DeviceTensor& value) {
  const Tensor result = value.to_host();
  Tensor& place = outputs_[position];
  if (buffers_[position].data()) check_buffer(position, result.bytes().size());
  if (result.sizes() != place.sizes()) {
    place = result;
    return;
  }
  auto* target = const_cast<std::byte*>(place.bytes().data());  // a buffer of the caller, or the arena
  if (!result.bytes().empty()) std::memcpy(target, result.bytes().data(), result.bytes().size());
}

const Tensor& PreparedCall::output(size_t position) const {
  return outputs_[checked(position, outputs_.size(), "output", method_)];
}

}  // namespace ingot
