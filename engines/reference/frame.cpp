#include "engines/reference/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "engines/reference/execute.h"
#include "engines/reference/kernel.h"
#include "program/debug.h"
#include "program/error.h"

namespace ingot::reference {

// ------------------------------------------------------------------------------------------------------------- meter

void Meter::spend(uint64_t steps) {
  if (steps > limits_.steps - steps_) {
    throw Error(Code::limit, fmt::format("the call takes more than {} steps", limits_.steps));
  }
  steps_ += steps;
}

void Meter::spend(int64_t count, int64_t each) {
  uint64_t steps;
  const bool overflows = __builtin_mul_overflow(count, each, &steps);
  spend(overflows ? std::numeric_limits<uint64_t>::max() : steps);
}

void Meter::require(int64_t bytes) const {
  const int64_t alive = *alive_;
  if (bytes <= limits_.bytes - alive) return;
  throw Error(Code::limit,
              fmt::format("{} bytes more than the {} alive go beyond the limit of {}", bytes, alive, limits_.bytes));
}

void Meter::hold(int64_t bytes) const {
  require(bytes);
  *alive_ += bytes;
}

Tensor Meter::allocate(DType dtype, Sizes sizes, const std::optional<QuantScheme>& scheme) {
  const int64_t bytes = byte_count(dtype, sizes, scheme);
  require(bytes);
  Tensor tensor = Tensor::allocate(dtype, std::move(sizes), scheme);
  std::memset(tensor.mutable_bytes().data(), 0, static_cast<size_t>(bytes));
  return counted(tensor);
}

Tensor Meter::counted(const Tensor& tensor) const {
  const auto bytes = static_cast<int64_t>(tensor.bytes().size());
  hold(bytes);
  const auto release = [alive = alive_, bytes, memory = tensor.buffer().owner](const void*) { *alive -= bytes; };
  const Buffer counted{std::shared_ptr<const void>(tensor.bytes().data(), release), tensor.bytes()};
  return Tensor(tensor.dtype(), tensor.sizes(), counted, tensor.scheme());
}

// ------------------------------------------------------------------------------------------------------------ states

void States::write(StateId id, Tensor tensor) {
  now_[id.id] = std::move(tensor);
  is_written_[id.id] = true;
}

// ------------------------------------------------------------------------------------------------------------- frame

Frame::Frame(Call& call, GraphId graph, std::vector<Tensor> inputs, Bindings bindings)
    : call_(call),
      id_(graph),
      graph_(call.plan.program.graphs[graph.id]),
      bindings_(std::move(bindings)),
      values_(graph_.values.size()) {
  for (size_t i = 0; i < inputs.size(); ++i) values_[graph_.inputs[i].id] = std::move(inputs[i]);
}

std::vector<Tensor> Frame::run() {
  const auto& dead_after = call_.plan.dead_after[id_.id];
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    run(graph_.nodes[i]);
    for (Ref ref : dead_after[i]) values_[ref.id] = Tensor();
  }
  std::vector<Tensor> outputs;
  for (const Output& output : graph_.outputs) outputs.push_back(tensor(output.value));
  return outputs;
}

void Frame::run(const Node& node) {
  node_ = &node;
  try {
    if (call_.cancelled && *call_.cancelled) throw Error(Code::cancelled, "the call was cancelled");
    call_.meter.spend(1);
    debug(4, [&] { return fmt::format("runs {} ({})", place_of(graph_, node), mnemonic(node.op)); });
    const auto start = call_.observer ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    visit([&](const auto& op) { reference::run(op, *this); }, node.op);
    if (call_.observer) call_.observer({graph_, node, bindings_, start, std::chrono::steady_clock::now()});
  } catch (Error& error) {
    error.in_op(mnemonic(node.op)).at_node(place_of(graph_, node));
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(Code::limit, "the system has no more memory").in_op(mnemonic(node.op)).at_node(place_of(graph_, node));
  }
}

// ---------------------------------------------------------------------------------------------------------- operands

const Tensor& Frame::tensor(Ref ref) const {
  const Value& value = graph_.values[ref.id];
  return value.kind == ValueKind::weight ? *call_.plan.program.weights[value.index].tensor : values_[ref.id];
}

std::vector<Tensor> Frame::tensors(const std::vector<Ref>& refs) const {
  std::vector<Tensor> result;
  for (Ref ref : refs) result.push_back(tensor(ref));
  return result;
}

Tensor Frame::converted(Ref ref, DType dtype) {
  const Tensor& x = tensor(ref);
  if (x.dtype() == dtype) return x;
  spend(x.elements());
  Tensor y = allocate(dtype, x.sizes());
  convert(x, y);
  return y;
}

View<int64_t> Frame::indices(Ref ref) {
  const Tensor& x = tensor(ref);
  if (x.dtype() == DType::i64) return view<int64_t>(x);
  spend(x.elements());
  Tensor wide = allocate(DType::i64, x.sizes());
  convert(x, wide, true);
  return view<int64_t>(wide);
}

// ----------------------------------------------------------------------------------------------------------- results

Tensor& Frame::allocate_zeros(uint32_t i) {
  const TensorType& type = result_type(i);
  Sizes shape = sizes(type.shape);
  spend(element_count(shape));  // before memory is touched
  Tensor& result = values_[node_->first_result.id + i];
  result = call_.meter.allocate(type.dtype, std::move(shape), type.scheme);
  return result;
}

Tensor& Frame::allocate_result(uint32_t i) {
  Tensor& result = allocate_zeros(i);
  const DType dtype = result.dtype();
  // A bool must stay one, and the bits behind the last element of a small dtype stay 0.
  if (call_.plan.poison && ingot::bits(dtype) >= 8 && dtype != DType::packed) {
    std::ranges::fill(result.mutable_bytes(), std::byte{dtype == DType::bool_ ? uint8_t{1} : uint8_t{0xcb}});
  }
  return result;
}

void Frame::set(uint32_t i, Tensor tensor) {
  const TensorType& type = result_type(i);
  const TensorType actual = tensor.type();
  const Sizes expected = sizes(type.shape);
  if (actual.dtype != type.dtype || actual.scheme != type.scheme || tensor.sizes() != expected) {
    throw Error::mismatch(Code::type_mismatch, "", fmt::format("result {}", i), to_string(actual), to_string(type));
  }
  values_[node_->first_result.id + i] = std::move(tensor);
}

void Frame::adopt(uint32_t i, const Tensor& tensor) {
  spend(tensor.elements());
  values_[node_->first_result.id + i] = call_.meter.counted(tensor);
}

Sizes Frame::sizes(const Shape& shape) const {
  Sizes result;
  for (const Dim& dim : shape) result.push_back(size(dim));
  return result;
}

void Frame::bind(SymbolId symbol, int64_t size) { bindings_.bind(call_.plan.program.symbols[symbol.id], size); }

std::vector<Tensor> Frame::call(GraphId graph, std::vector<Tensor> inputs) const {
  call_.meter.spend(call_.plan.program.graphs[graph.id].values.size());
  return Frame(call_, graph, std::move(inputs), bindings_).run();
}

}  // namespace ingot::reference
