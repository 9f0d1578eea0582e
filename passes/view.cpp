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

// f(state) for every state that the op writes, by the graphs that it runs as well.
template <class F>
void visit_written(const Op& op, const std::vector<std::vector<StateId>>& of_graphs, F f) {
  if (const auto* write = op.get_if<op::StateWrite>()) f(write->state);
  if (const auto* update = op.get_if<op::StateUpdate>()) f(update->state);
  visit_graphs(op, [&](GraphId id) { std::ranges::for_each(of_graphs[id.id], f); });
}

// By graph the states that it writes. A graph calls only graphs before it, so that one pass in order knows all.
std::vector<std::vector<StateId>> written_states(const Program& program) {
  std::vector<std::vector<StateId>> all;
  for (const Graph& graph : program.graphs) {
    std::vector<StateId> states;
    for (const Node& node : graph.nodes) visit_written(node.op, all, [&](StateId state) { states.push_back(state); });
    std::ranges::sort(states);
    states.erase(std::ranges::unique(states).begin(), states.end());
    all.push_back(std::move(states));
  }
  return all;
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

bool View::is_called() const {
  if (!is_called_) {
    const auto id = static_cast<size_t>(&graph_ - program_.graphs.data());
    is_called_ = callers_of(program_)[id].has_value();
  }
  return *is_called_;
}

const std::vector<size_t>& View::writers(StateId state) const {
  if (!writers_) {
    writers_.emplace(program_.states.size());
    const std::vector<std::vector<StateId>> of_graphs = written_states(program_);
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      visit_written(graph_.nodes[i].op, of_graphs, [&](StateId written) { (*writers_)[written.id].push_back(i); });
    }
  }
  return (*writers_)[state.id];
}

bool View::unchanged_between(StateId state, const Node& first, const Node& second) const {
  const auto place = [&](const Node& node) { return static_cast<size_t>(&node - graph_.nodes.data()); };
  const std::vector<size_t>& nodes = writers(state);
  const auto next = std::ranges::upper_bound(nodes, place(first));
  return next == nodes.end() || *next >= place(second);
}

}  // namespace ingot
