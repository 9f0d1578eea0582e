#include "passes/view.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstring>

#include "passes/growth.h"
#include "passes/operands.h"
#include "program/float_format.h"

namespace ingot {
namespace {

// Contents above this are not looked through for one number.
constexpr size_t kMostBytes = 1 << 16;

uint64_t low_bytes(std::span<const std::byte> bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

Scalar element(DType dtype, std::span<const std::byte> bytes) {
  const uint64_t bits = low_bytes(bytes);
  if (const auto format = float_format(dtype)) return decode(*format, bits);
  if (dtype == DType::c64) return {std::bit_cast<std::complex<float>>(bits)};
  if (kind(dtype) != Kind::signed_int) return dtype == DType::bool_ ? Scalar(bits != 0) : Scalar(bits);
  const int unused = 64 - ingot::bits(dtype);
  return static_cast<int64_t>(bits << unused) >> unused;
}

bool writes(const Op& op, StateId state, const std::vector<bool>& of_graphs) {
  if (const auto* write = op.get_if<op::StateWrite>()) return write->state == state;
  if (const auto* update = op.get_if<op::StateUpdate>()) return update->state == state;
  bool found = false;
  visit_graphs(op, [&](GraphId id) { found = found || of_graphs[id.id]; });
  return found;
}

// The graphs that write the state. A graph calls only graphs before it, so that one pass in order knows all.
std::vector<bool> writers(const Program& program, StateId state) {
  std::vector<bool> found;
  for (const Graph& graph : program.graphs) {
    found.push_back(std::ranges::any_of(graph.nodes, [&](const Node& node) { return writes(node.op, state, found); }));
  }
  return found;
}

}  // namespace

std::optional<Scalar> uniform_number(const Tensor& tensor) {
  if (kind(tensor.dtype()) == Kind::storage || tensor.bytes().empty()) return std::nullopt;
  const std::span<const std::byte> bytes = tensor.bytes();
  const size_t size = static_cast<size_t>(bits(tensor.dtype())) / 8;
  // Every byte equals the one an element further on.
  if (!std::ranges::equal(bytes.subspan(size), bytes.first(bytes.size() - size))) return std::nullopt;
  return element(tensor.dtype(), bytes.first(size));
}

View::View(const Program& program, const Graph& graph, IsConstant is_constant)
    : program_(program),
      graph_(graph),
      is_constant_(std::move(is_constant)),
      uses_(graph.values.size()),
      weights_read_(ingot::weights_read(program, graph)) {
  for (const Node& node : graph.nodes) visit_operands(node.op, [this](Ref ref) { ++uses_[ref.id]; });
  for (const Output& output : graph.outputs) ++uses_[output.value.id];
}

const Node* View::maker(Ref ref) const {
  const Value& value = graph_.values[ref.id];
  return value.kind == ValueKind::result ? &graph_.nodes[value.index] : nullptr;
}

const Tensor* View::constant(Ref ref) const {
  const Value& value = graph_.values[ref.id];
  if (value.kind != ValueKind::weight || !is_constant_) return nullptr;
  const Weight& weight = program_.weights[value.index];
  return weight.tensor && is_constant_(weight) ? &*weight.tensor : nullptr;
}

Ref View::through_moves(Ref ref) const {
  // Longer chains are for canonicalize to shorten: here every rule may ask for every operand.
  for (int moves = 0; moves < 8; ++moves) {
    if (const auto* reshape = made_by<op::Reshape>(ref)) {
      ref = reshape->x;
    } else if (const auto* transpose = made_by<op::Transpose>(ref)) {
      ref = transpose->x;
    } else if (const auto* broadcast = made_by<op::Broadcast>(ref)) {
      ref = broadcast->x;
    } else {
      break;
    }
  }
  return ref;
}

std::optional<Scalar> View::number(Ref ref) const {
  const Ref source = through_moves(ref);
  if (const auto* full = made_by<op::Full>(source)) return full->value;
  const Tensor* tensor = constant(source);
  return tensor && tensor->bytes().size() <= kMostBytes ? uniform_number(*tensor) : std::nullopt;
}

std::optional<double> View::real(Ref ref) const {
  const std::optional<Scalar> found = number(ref);
  return found && found->kind != ScalarKind::complex ? std::optional(found->as_real()) : std::nullopt;
}

bool View::is_number(Ref ref, double wanted) const {
  const std::optional<double> found = real(ref);
  return found && *found == wanted && std::signbit(*found) == std::signbit(wanted);
}

bool View::unchanged_between(StateId state, const Node& first, const Node& second) const {
  const auto from = static_cast<size_t>(&first - graph_.nodes.data()) + 1,
             to = static_cast<size_t>(&second - graph_.nodes.data());
  const std::vector<bool> of_graphs = writers(program_, state);
  for (size_t i = from; i < to; ++i) {
    if (writes(graph_.nodes[i].op, state, of_graphs)) return false;
  }
  return true;
}

}  // namespace ingot
