#include "runtime/cost.h"

#include <algorithm>
#include <limits>

#include "passes/operands.h"
#include "program/error.h"
#include "program/last_use.h"
#include "runtime/arguments.h"

namespace ingot {
namespace {

// FLOPs for each element of the first operand, where they depend on nothing else.
struct PerElement {
  Opcode op;
  double flops;
};

// In the order of the schema.
constexpr PerElement per_element[] = {
    {Opcode::reduce, 1},         // one accumulation
    {Opcode::arg_reduce, 1},     // one comparison
    {Opcode::softmax, 5},        // max, subtract, exp, add, divide
    {Opcode::layer_norm, 8},     // mean 1, variance 3, normalise 2, weight and bias 2
    {Opcode::rms_norm, 4},       // square, add, scale, weight
    {Opcode::quantize, 2},       // divide, round
    {Opcode::cumulate, 1},       // as reduce
    {Opcode::group_norm, 8},     // as layer_norm
    {Opcode::batch_norm, 4},     // subtract, scale, weight, bias
    {Opcode::lp_normalize, 3},   // power, add, divide
    {Opcode::rope, 3},           // two products and a sum
    {Opcode::rope_table, 3},     // the same
    {Opcode::fake_quantize, 6},  // divide, round, add, clip, subtract, multiply
};

// FLOPs for each element of the result, for the ops of a family that no row above has.
struct PerResult {
  std::string_view family;
  double flops;
};

constexpr PerResult per_result[] = {
    {"elementwise", 1}, {"shape", 0}, {"index", 0}, {"create", 0}, {"state", 0},  // which move or make elements
};

// Ops without a formula: values or a graph decide what they compute, or nobody has counted it. In the order of the schema.
constexpr Opcode not_counted[] = {
    Opcode::if_,
    Opcode::while_,
    Opcode::scan,
    Opcode::call,
    Opcode::custom,
    Opcode::sort,
    Opcode::top_k,
    Opcode::partition,
    Opcode::median,
    Opcode::search_sorted,
    Opcode::unique,
    Opcode::einsum,
    Opcode::max_pool_indices,
    Opcode::adaptive_pool,
    Opcode::max_unpool,
    Opcode::local_response_norm,
    Opcode::paged_attention,
    Opcode::resize,
    Opcode::grid_sample,
    Opcode::roi_align,
    Opcode::roi_pool,
    Opcode::nms,
    Opcode::selective_scan,
    Opcode::gated_delta,
    Opcode::fft,
    Opcode::rfft,
    Opcode::irfft,
    Opcode::stft,
    Opcode::cholesky,
    Opcode::qr,
    Opcode::svd,
    Opcode::eigh,
    Opcode::solve,
    Opcode::triangular_solve,
    Opcode::inverse,
    Opcode::det,
    Opcode::slog_det,
    Opcode::lstsq,
    Opcode::expm,
    Opcode::softmax_cross_entropy,
    Opcode::loss,
    Opcode::sample,
    Opcode::moe_route,
    Opcode::moe_combine,
    Opcode::adamw_step,
    Opcode::lion_step,
    Opcode::sgd_step,
};

template <class O>
constexpr const PerElement* element_rule = [] {
  const auto row = std::ranges::find(per_element, O::opcode, &PerElement::op);
  return row == std::end(per_element) ? nullptr : row;
}();

template <class O>
constexpr const PerResult* family_rule = [] {
  const auto row = std::ranges::find(per_result, kOpFacts[static_cast<size_t>(O::opcode)].family, &PerResult::family);
  return row == std::end(per_result) ? nullptr : row;
}();

template <class O>
constexpr bool is_not_counted = std::ranges::find(not_counted, O::opcode) != std::end(not_counted);

int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

int64_t times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

void add(NodeCost& to, const NodeCost& more, int64_t count = 1) {
  to.read = plus(to.read, times(more.read, count));
  to.written = plus(to.written, times(more.written, count));
  to.flops =
      to.flops && more.flops ? std::optional(*to.flops + *more.flops * static_cast<double>(count)) : std::nullopt;
}

// ------------------------------------------------------------------------------------------------------------- nodes

// FLOPs of a node: a formula of its op, or a row of a table. Precondition: every size is known.
class Flops {
 public:
  Flops(const Graph& graph, const Node& node, const Bindings& bindings)
      : graph_(graph), node_(node), bindings_(bindings) {}

  // 2·K for each element of the result.
  std::optional<double> formula(const op::Matmul& op) const {
    return products(axis(op.a, op.transpose_a && rank(op.a) > 1 ? -2 : -1));
  }
  std::optional<double> formula(const op::IntegerMatmul& op) const { return products(axis(op.a, -1)); }
  std::optional<double> formula(const op::QuantizedMatmul& op) const { return products(axis(op.x, -1)); }
  std::optional<double> formula(const op::GroupedMatmul& op) const { return products(axis(op.x, -1)); }
  std::optional<double> formula(const op::DotGeneral& op) const {
    double contracted = 1;
    for (const int64_t each : op.contract_a) contracted *= axis(op.a, each);
    return products(contracted);
  }
  std::optional<double> formula(const op::LoraLinear& op) const {
    const double rows = elements(op.x) / std::max(1.0, axis(op.x, -1)), inner = axis(op.x, -1), rank = axis(op.a, -1);
    return products(inner) + 2 * rows * inner * rank + products(rank) + 2 * results();
  }

  // 2·(C/groups)·∏kernel for each element of the result.
  std::optional<double> formula(const op::Conv& op) const { return convolution(op.w) + (op.bias ? results() : 0); }
  std::optional<double> formula(const op::IntegerConv& op) const { return convolution(op.w); }
  std::optional<double> formula(const op::DeformConv& op) const {
    return convolution(op.w) + (op.bias ? results() : 0);
  }
  // Every element of x goes into (O/groups)·∏kernel sums.
  std::optional<double> formula(const op::ConvTranspose& op) const {
    return 2 * elements(op.x) * elements(op.w) / std::max(1.0, axis(op.w, 0)) + (op.bias ? results() : 0);
  }
  std::optional<double> formula(const op::Pool& op) const {
    double window = 1;
    for (const int64_t size : op.kernel) window *= static_cast<double>(size);
    return results() * window;
  }

  // Scores and values are products; 5 for each score in the softmax. A causal mask does not make it cheaper.
  std::optional<double> formula(const op::Attention& op) const {
    const double scores = elements(op.q) / std::max(1.0, axis(op.q, -1)) * axis(op.k, -2);
    return scores * (2 * axis(op.q, -1) + 2 * axis(op.v, -1) + 5);
  }

  // Both products of every gate, for each step and row; w [D,G·H,I] and r [D,G·H,H].
  std::optional<double> formula(const op::Rnn& op) const { return recurrence(op.x, op.w, op.r); }
  std::optional<double> formula(const op::Gru& op) const { return recurrence(op.x, op.w, op.r); }
  std::optional<double> formula(const op::Lstm& op) const { return recurrence(op.x, op.w, op.r); }

  std::optional<double> formula(const op::Dequantize&) const { return 2 * results(); }
  std::optional<double> formula(const op::Bitcast&) const { return 0; }

  // None where there is no formula.
  template <class O>
  std::optional<double> operator()(const O& op) const {
    if constexpr (requires { formula(op); }) {
      return formula(op);
    } else if constexpr (element_rule<O> != nullptr) {
      return element_rule<O>->flops * elements(op.x);
    } else if constexpr (family_rule<O> != nullptr) {
      return family_rule<O>->flops * results();
    } else {
      return std::nullopt;
    }
  }

 private:
  int64_t rank(Ref ref) const { return graph_.type(ref).rank(); }
  double axis(Ref ref, int64_t at) const {
    const Shape& shape = graph_.type(ref).shape;
    const int64_t index = at < 0 ? at + rank(ref) : at;
    return static_cast<double>(evaluate(shape[static_cast<size_t>(index)], bindings_));
  }
  double elements(Ref ref) const {
    double count = 1;
    for (const Dim& dim : graph_.type(ref).shape) count *= static_cast<double>(evaluate(dim, bindings_));
    return count;
  }
  double results() const { return elements(node_.first_result); }
  double products(double contracted) const { return 2 * results() * contracted; }
  double convolution(Ref w) const { return products(elements(w) / std::max(1.0, axis(w, 0))); }
  double recurrence(Ref x, Ref w, Ref r) const { return 2 * axis(x, 0) * axis(x, 1) * (elements(w) + elements(r)); }

  const Graph& graph_;
  const Node& node_;
  const Bindings& bindings_;
};

template <class O>
constexpr bool is_settled = element_rule<O> != nullptr || family_rule<O> != nullptr || is_not_counted<O> ||
                            requires(const Flops& flops, const O& op) { flops.formula(op); };

#define INGOT_CHECK_COST(O) \
  static_assert(is_settled<op::O>, __FILE__ " lacks the FLOPs of op::" #O ": a formula, or a row in a table");
INGOT_ALL_OPS(INGOT_CHECK_COST)
#undef INGOT_CHECK_COST

std::optional<int64_t> known_bytes(const TensorType& type, const Bindings& bindings) {
  const std::optional<Sizes> sizes = known_sizes(type.shape, bindings);
  if (!sizes) return {};
  return byte_count(type.dtype, *sizes, type.scheme);
}

// Of these only what they give out is read of x.
bool picks(const Op& op) {
  static constexpr Opcode all[] = {Opcode::slice,         Opcode::take,      Opcode::gather,
                                   Opcode::dynamic_slice, Opcode::gather_nd, Opcode::index_get};
  return std::ranges::find(all, op.opcode()) != std::end(all);
}

// What an op reads of its operands and its state, and what it writes; none where a size is not known.
std::optional<NodeCost> traffic(const Program& program, const Graph& graph, const Node& node,
                                const Bindings& bindings) {
  NodeCost cost;
  bool known = true;
  const auto bytes = [&](const TensorType& type) {
    const std::optional<int64_t> count = known_bytes(type, bindings);
    known = known && count;
    return count.value_or(0);
  };
  for (uint32_t i = 0; i < node.result_count; ++i) {
    cost.written = plus(cost.written, bytes(graph.values[node.first_result.id + i].type));
  }
  bool first = picks(node.op);
  visit_operands(node.op, [&](Ref ref) {
    const int64_t all = bytes(graph.type(ref));
    cost.read = plus(cost.read, first ? std::min(all, cost.written) : all);
    first = false;
  });
  if (const auto* read = node.op.get_if<op::StateRead>()) cost.read = bytes(program.states[read->state.id].type);
  if (const auto* update = node.op.get_if<op::StateUpdate>()) cost.written = bytes(graph.type(update->update));
  return known ? std::optional(cost) : std::nullopt;
}

}  // namespace

std::optional<NodeCost> cost_of(const Program& program, const Graph& graph, const Node& node,
                                const Bindings& bindings) {
  if (kOpFacts[node.op.index()].family == "control") return {};
  std::optional<NodeCost> cost = traffic(program, graph, node, bindings);
  if (cost) cost->flops = visit(Flops(graph, node, bindings), node.op);
  return cost;
}

// ------------------------------------------------------------------------------------------------------------ graphs

namespace {

// A size that data decide counts with the largest that its symbols allow; none where there is no largest.
std::optional<int64_t> most_bytes(const TensorType& type, const Bindings& bindings) {
  Sizes sizes;
  for (const Dim& dim : type.shape) {
    const int64_t most = range(substitute(dim, bindings)).max;
    if (most == kUnbounded) return {};
    sizes.push_back(std::max<int64_t>(most, 0));
  }
  return byte_count(type.dtype, sizes, type.scheme);
}

// Graphs in their order: a graph calls only graphs before it, so each is looked at once.
class Model {
 public:
  Model(const Program& program, const Bindings& bindings, const WorkingSpace& working_space)
      : program_(program), bindings_(bindings), working_space_(working_space) {}

  GraphCost next(const Graph& graph) {
    GraphCost all{.nodes = {}, .total = {.flops = 0.0}, .unknown = 0, .peak_bytes = peak(graph)};
    for (const Node& node : graph.nodes) {
      const std::optional<NodeCost> cost = of(graph, node);
      all.nodes.push_back(cost);
      if (!cost || !cost->flops) ++all.unknown;
      if (cost) add(all.total, {.flops = cost->flops.value_or(0), .read = cost->read, .written = cost->written});
    }
    wholes_.push_back(all.unknown == 0 ? std::optional(all.total) : std::nullopt);
    peaks_.push_back(all.peak_bytes);
    return all;
  }

 private:
  std::optional<NodeCost> of(const Graph& graph, const Node& node) const {
    if (const auto* call = node.op.get_if<op::Call>()) return wholes_[call->graph.id];
    if (const auto* scan = node.op.get_if<op::Scan>()) return repeated(wholes_[scan->body.id], scan->length);
    if (const auto* branch = node.op.get_if<op::If>())
      return dearer(wholes_[branch->on_true.id], wholes_[branch->on_false.id]);
    return cost_of(program_, graph, node, bindings_);
  }

  std::optional<NodeCost> repeated(const std::optional<NodeCost>& once, const Dim& length) const {
    const std::optional<Sizes> trips = known_sizes({length}, bindings_);
    if (!once || !trips) return {};
    NodeCost sum{.flops = 0.0};
    add(sum, *once, trips->front());
    return sum;
  }

  static std::optional<NodeCost> dearer(const std::optional<NodeCost>& a, const std::optional<NodeCost>& b) {
    if (!a || !b) return {};
    return *a->flops >= *b->flops ? a : b;
  }

  // None where a value has no bound.
  std::optional<int64_t> peak(const Graph& graph) const {
    int64_t alive = 0, most = 0;
    std::vector<int64_t> bytes;
    for (const Value& value : graph.values) {
      const bool counts = value.kind != ValueKind::weight;
      const std::optional<int64_t> each = counts ? most_bytes(value.type, bindings_) : 0;
      if (!each) return {};
      bytes.push_back(*each);
    }
    for (const Ref input : graph.inputs) alive = plus(alive, bytes[input.id]);
    most = alive;
    const std::vector<std::vector<Ref>> dead = dead_after(graph);
    const GraphId id{static_cast<uint32_t>(peaks_.size())};
    const std::vector<int64_t> spaces = working_space_ ? working_space_(id) : std::vector<int64_t>(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      const Node& node = graph.nodes[i];
      const std::optional<int64_t> inside = inner_peak(node.op);
      if (!inside) return {};
      most = std::max(most, plus(alive, std::max(*inside, spaces[i])));
      for (uint32_t j = 0; j < node.result_count; ++j) alive = plus(alive, bytes[node.first_result.id + j]);
      most = std::max(most, alive);
      for (const Ref ref : dead[i]) alive -= bytes[ref.id];
    }
    return most;
  }

  // What the graphs that a node runs have alive, their inputs included.
  std::optional<int64_t> inner_peak(const Op& op) const {
    std::optional<int64_t> most = 0;
    visit_graphs(op, [&](GraphId graph) {
      const std::optional<int64_t>& inner = peaks_[graph.id];
      most = most && inner ? std::optional(std::max(*most, *inner)) : std::nullopt;
    });
    return most;
  }

  const Program& program_;
  const Bindings& bindings_;
  const WorkingSpace& working_space_;
  std::vector<std::optional<NodeCost>> wholes_;  // by graph; none where a node of it is not known
  std::vector<std::optional<int64_t>> peaks_;    // by graph
};

}  // namespace

std::vector<GraphCost> costs_of(const Program& program, const Bindings& bindings) {
  const WorkingSpace unknown;
  Model model(program, bindings, unknown);
  std::vector<GraphCost> costs;
  for (const Graph& graph : program.graphs) costs.push_back(model.next(graph));
  return costs;
}

GraphCost cost_of(const Program& program, const Graph& graph, const Bindings& bindings,
                  const WorkingSpace& working_space) {
  Model model(program, bindings, working_space);
  for (const Graph& each : program.graphs) {
    GraphCost cost = model.next(each);
    if (&each == &graph) return cost;
  }
  throw Error(Code::not_found, "graph " + graph.name + " is none of the program");
}

}  // namespace ingot
