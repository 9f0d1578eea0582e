#include "engines/mlx/frame.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engines/mlx/cast.h"
#include "engines/mlx/guards.h"
#include "engines/mlx/lowering.h"
#include "engines/mlx/plan.h"
#include "passes/operands.h"
#include "program/debug.h"
#include "program/error.h"

namespace ingot::mlx_engine {

// ------------------------------------------------------------------------------------------------------------- nodes

Frame::Frame(Call& call, GraphId graph, Bindings bindings, std::vector<std::optional<array>> values)
    : call_(call),
      id_(graph),
      graph_(call.plan.program.graphs[graph.id]),
      bindings_(std::move(bindings)),
      values_(std::move(values)) {
  values_.resize(graph_.values.size());
}

void Frame::reset(const Bindings& bindings) {
  clear();
  bindings_ = bindings;
}

void Frame::clear() {
  std::ranges::fill(values_, std::nullopt);
  passed_.clear();
  results_.clear();
}

static void check_cancelled(const Call& call) {
  if (call.cancelled && *call.cancelled) throw Error(Code::cancelled, "the call was cancelled");
}

void Frame::run(std::vector<array>& inputs, std::vector<array>& outputs) {
  for (size_t i = 0; i < inputs.size(); ++i) values_[graph_.inputs[i].id] = std::move(inputs[i]);
  inputs.clear();
  for (const Segment& segment : call_.plan.segments[id_.id]) {
    check_cancelled(call_);  // here too: a loop may run traced segments alone
    if (segment.traceable && call_.traces) {
      run_traced(segment);
    } else {
      run(segment);
    }
  }
  outputs.clear();
  for (const Output& output : graph_.outputs) outputs.push_back(in(output.value));
  // From here on they count as results of the caller's node.
  for (const Output& output : graph_.outputs) drop(output.value);
}

void Frame::run(const Segment& segment) {
  for (uint32_t i = segment.first; i < segment.end; ++i) {
    lower(graph_.nodes[i]);
    for (Ref dead : call_.plan.dead_after[id_.id][i]) drop(dead);
  }
}

// What a body makes is charged there; a scan writes its ys.
static bool passes_on(const Op& op) {
  return kOpFacts[op.index()].effects == OpEffects::body && !op.get_if<op::Scan>();
}

// Whether the results are charged before the op is lowered: not where it decides their sizes, nor what a body makes.
static bool is_charged_ahead(const Op& op) {
  bool decides_size = false;
  visit_fields(op, [&]<class T>(const FieldFacts&, const T&) { decides_size |= std::same_as<T, SymbolId>; });
  return !decides_size && kOpFacts[op.index()].effects != OpEffects::body;
}

void Frame::lower(const Node& node) {
  node_ = &node;
  try {
    check_cancelled(call_);
    call_.meter.spend(1);
    debug(4, [&] { return fmt::format("lowers {} ({})", place_of(graph_, node), mnemonic(node.op)); });
    const auto start = call_.observer ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    table_bytes_ = 0;
    const bool ahead = is_charged_ahead(node.op);
    for (uint32_t i = 0; ahead && i < node.result_count; ++i) charge_result(i);
    const std::vector<array> leaves = leaves_of(node);
    const Mark before = mark();
    std::vector<array> results = visit([&]<class O>(const O& op) { return Lowering<O>::run(op, *this); }, node.op);
    const Recorded made = recorded(leaves, results, before.guards);
    set_results(std::move(results), ahead, made);
    if (call_.eager) compute_results(before.recorded);
    if (call_.observer) (*call_.observer)({graph_, node, bindings_, start, std::chrono::steady_clock::now()});
  } catch (Error& error) {
    error.in_op(mnemonic(node.op)).at_node(place_of(graph_, node));
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(Code::limit, "the system has no more memory").in_op(mnemonic(node.op)).at_node(place_of(graph_, node));
  } catch (const std::exception& error) {
    throw Error(Code::internal, fmt::format("MLX refuses: {}", error.what()))
        .in_op(mnemonic(node.op))
        .at_node(place_of(graph_, node));
  }
}

std::vector<array> Frame::leaves_of(const Node& node) const {
  std::vector<array> leaves;
  visit_operands(node.op, [&](Ref ref) { leaves.push_back(in(ref)); });
  visit_fields(node.op, [&]<class T>(const FieldFacts&, const T& field) {
    if constexpr (std::same_as<T, StateId>) leaves.push_back(call_.states[field.id]);
  });
  return leaves;
}

void Frame::charge_result(uint32_t i) {
  const TensorType& type = result_type(i);
  const Sizes sizes = this->sizes(type.shape);
  call_.meter.hold(byte_count(type.dtype, sizes, type.scheme));
  if (!passes_on(node_->op)) call_.meter.spend(static_cast<uint64_t>(element_count(sizes)));
}

void Frame::hold_table(const Sizes& sizes, size_t entry_bytes) {
  Sizes all = sizes;
  all.push_back(static_cast<int64_t>(entry_bytes));
  const int64_t bytes = element_count(all);
  call_.meter.pass(bytes);  // so that the sum stays within i64
  table_bytes_ += bytes;
  call_.meter.pass(table_bytes_);
}

void Frame::hold_slices(const op::Scan& scan) {
  constexpr size_t array_bytes = 512;
  hold_table({size(scan.length), result_count() - std::ssize(scan.carry)}, array_bytes);
  int64_t bytes = table_bytes_;
  for (uint32_t i = 0; i < result_count(); ++i) {
    const TensorType& type = result_type(i);
    bytes += byte_count(type.dtype, sizes(type.shape), type.scheme);
    call_.meter.pass(bytes);
  }
}

void Frame::require_recordable(int64_t trips, int64_t arrays) const {
  call_.meter.require_recordable(element_count(Sizes{trips, arrays}));
}

Recorded Frame::recorded(const std::vector<array>& leaves, const std::vector<array>& results,
                         size_t guards_before) const {
  if (node_->op.get_if<op::Scan>()) {  // which keeps all slices until it joins them
    Recorded joined{.arrays = 0, .bytes = Meter::counted(table_bytes_)};
    for (const array& result : results) joined.bytes += 2 * static_cast<int64_t>(result.nbytes());
    return joined;
  }
  if (kOpFacts[node_->op.index()].effects == OpEffects::body) return {};  // it is counted in the body
  std::vector<array> made = results;
  for (size_t i = guards_before; i < call_.guards.size(); ++i) made.push_back(call_.guards[i].holds);
  return recorded_between(leaves, made);
}

array Frame::placeholder(const TensorType& type) const {
  return without_value(type.dtype, sizes(type.shape), type.scheme);
}

std::vector<int64_t> Frame::spaces() {
  for (const State& state : call_.plan.program.states) call_.states.push_back(placeholder(state.type));
  std::vector<int64_t> spaces;
  for (const Node& node : graph_.nodes) {
    call_.meter = call_.meter.anew();
    try {
      spaces.push_back(space_of(node));
    } catch (const Error&) {
      spaces.push_back(0);  // calls will say what is wrong with the sizes
    }
    visit_operands(node.op, [&](Ref ref) { values_[ref.id].reset(); });
    for (uint32_t i = 0; i < node.result_count; ++i) values_[node.first_result.id + i].reset();
    call_.guards.clear();
    call_.checks->clear();
  }
  return spaces;
}

int64_t Frame::space_of(const Node& node) {
  node_ = &node;
  table_bytes_ = 0;
  if (const auto* scan = node.op.get_if<op::Scan>()) {
    hold_slices(*scan);
    std::vector<array> results;
    for (uint32_t i = 0; i < node.result_count; ++i) results.push_back(placeholder(result_type(i)));
    return recorded({}, results, 0).bytes;
  }
  if (reads(node.op, call_.plan.host_ops) || passes_on(node.op))
    return 0;  // what a body has alive is asked of its own nodes
  visit_operands(node.op, [&](Ref ref) {
    if (graph_.values[ref.id].kind != ValueKind::weight) values_[ref.id] = placeholder(type(ref));
  });
  lower(node);
  return call_.meter.peak();
}

void Frame::set_results(std::vector<array> results, bool charged, const Recorded& made) {
  call_.meter.record(made.arrays);
  int64_t space = made.bytes;
  for (uint32_t i = 0; i < node_->result_count; ++i) {
    const TensorType& type = result_type(i);
    const Sizes expected = sizes(type.shape);
    if (results[i].dtype() != to_mlx(type.dtype) ||
        results[i].shape() != stored_shape(type.dtype, expected, type.scheme)) {
      const mx::Shape& shape = results[i].shape();
      throw Error::mismatch(Code::internal, "", fmt::format("result {}", i),
                            fmt::format("{}[{}]", to_string(from_mlx(results[i].dtype())), fmt::join(shape, ", ")),
                            fmt::format("{} ({})", to_string(type), fmt::join(expected, ", ")));
    }
    if (!charged) charge_result(i);
    space -= static_cast<int64_t>(results[i].nbytes());
    values_[node_->first_result.id + i] = std::move(results[i]);
  }
  call_.meter.pass(std::max<int64_t>(space, 0));
}

void Frame::compute_results(int64_t recorded_before) {
  std::vector<array> made;
  for (uint32_t i = 0; i < node_->result_count; ++i) made.push_back(*values_[node_->first_result.id + i]);
  call_.require_memory();
  mx::eval(std::move(made));
  call_.meter.forget_recorded(recorded_before);
}

void Frame::drop(Ref ref) {
  std::optional<array>& value = values_[ref.id];
  if (value && graph_.values[ref.id].kind == ValueKind::result) {
    call_.meter.release(static_cast<int64_t>(value->nbytes()));
  }
  value.reset();
}

// ---------------------------------------------------------------------------------------------------------- operands

const array& Frame::in(Ref ref) const {
  const Value& value = graph_.values[ref.id];
  return value.kind == ValueKind::weight ? *(*call_.weights)[value.index] : *values_[ref.id];
}

array Frame::in(Ref ref, DType dtype) const { return cast(*this, ref, dtype); }

std::vector<array> Frame::in(const std::vector<Ref>& refs) const {
  std::vector<array> result;
  for (Ref ref : refs) result.push_back(in(ref));
  return result;
}

Sizes Frame::sizes(const Shape& shape) const {
  Sizes result;
  sizes(shape, result);
  return result;
}

void Frame::sizes(const Shape& shape, Sizes& into) const {
  into.clear();
  for (const Dim& dim : shape) into.push_back(size(dim));
}

void Frame::bind(SymbolId symbol, int64_t size) { bindings_.bind(call_.plan.program.symbols[symbol.id], size); }

// ------------------------------------------------------------------------------------------------------------ values

void Frame::guard(const array& holds, const array& witness, std::function<Error(const Tensor& witness)> refusal) {
  auto refuse = [refusal = std::move(refusal), op = mnemonic(node_->op), place = place_of(graph_, *node_)](
                    const Tensor& value) { return refusal(value).in_op(op).at_node(place); };
  call_.guards.push_back(
      {mx::all(holds, stream()), witness, std::make_shared<GuardRefusal::element_type>(std::move(refuse))});
}

const Known* Frame::known(std::uintptr_t id) const {
  const auto found = std::ranges::find(call_.known, id, [](const Known& known) { return known.value.id(); });
  return found == call_.known.end() ? nullptr : &*found;
}

void Frame::guard_integers(const array& holds, const array& integers, IntegerCheck check) {
  const Source source = source_of(integers);
  const Known* known = this->known(source.id);
  if (!known) {
    const auto refusal = [check = std::move(check)](const Tensor& witness) { return *check(witness.as<int64_t>()); };
    return guard(holds, integers, refusal);
  }
  check = check_of_source(source, std::move(check));
  if (call_.checks) {
    const auto placed = [check = std::move(check), op = mnemonic(node_->op),
                         place = place_of(graph_, *node_)](std::span<const int64_t> values) {
      std::optional<Error> error = check(values);
      if (error) error->in_op(op).at_node(place);
      return error;
    };
    call_.checks->push_back({known->position, placed});
  } else if (const std::optional<Error> error = check(*known->integers)) {
    throw *error;
  }
}

std::vector<array> Frame::evaluated(std::vector<array> values) {
  for (array& value : values) {
    if (value.size() > 0) value = mx::contiguous(value, false, stream());  // CUDA cannot copy what is empty
  }
  call_.require_memory();
  submit(values, call_.guards);
  for (array& value : values) value.wait();
  // The values may depend on what a guard refuses: its error goes first.
  if (!hold(call_.guards)) refuse(call_.guards, stream());
  call_.guards.clear();
  return values;
}

Tensor Frame::read(const array& value, DType dtype) {
  const array dense = evaluated({value}).front();
  Sizes sizes(dense.shape().begin(), dense.shape().end());
  return download(dense, dtype, sizes, {});
}

void Frame::start(std::vector<array> values, const Mark& since) {
  for (size_t i = since.guards; i < call_.guards.size(); ++i) {
    values.push_back(call_.guards[i].holds);
    values.push_back(call_.guards[i].witness);
  }
  for (size_t i = 0; i < call_.states.size(); ++i) {
    if (call_.states_written[i]) values.push_back(call_.states[i]);
  }
  call_.require_memory();
  mx::async_eval(std::move(values));
  const auto guards = static_cast<int64_t>(call_.guards.size() - since.guards);
  call_.meter.forget_recorded(since.recorded + 2 * guards);  // which stay, computed, until all is read
}

void Frame::set_state(StateId id, array value) {
  call_.states[id.id] = std::move(value);
  call_.states_written[id.id] = true;
}

std::vector<array> Frame::call(GraphId graph, std::vector<array> inputs) const {
  call_.meter.spend(call_.plan.program.graphs[graph.id].values.size());
  std::vector<array> outputs;
  Frame(call_, graph, bindings_).run(inputs, outputs);
  return outputs;
}

}  // namespace ingot::mlx_engine
