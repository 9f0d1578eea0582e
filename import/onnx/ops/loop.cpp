// Loops: Loop and Scan as Ingot's `while` and `scan`.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "import/onnx/growth.h"
#include "import/onnx/handlers.h"
#include "import/onnx/patterns.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

Value truth() { return tensor_of(DType::bool_, {}, {1}); }

// A size that only the inside of a body knows means nothing outside: there the file must declare a number.
Var with_outer_sizes(const Body& body, Var var, const TypeProto* declared) {
  Shape shape = var.shape();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!body.binds_in(shape[i])) continue;
    const bool fits = declared && declared->shape && declared->shape->size() == shape.size();
    const auto size = fits ? (*declared->shape)[i].value : std::nullopt;
    if (!size || *size < 0) {
      throw Unsupported(
          fmt::format("axis {} of {} that a body returns depends on data inside of it", i, to_string(var.type())));
    }
    shape[i] = *size;
  }
  return ensure(var, shape);
}

// Declares the results of a body, whose types the file may declare. What the op around it carries must leave with the
// shape that it came with.
void set_results(Node& node, Body& body, std::span<const Value> values, std::span<const Var> carried = {},
                 std::span<const ValueInfoProto> declared = {}) {
  for (size_t i = 0; i < values.size(); ++i) {
    Var var = node.as_var(values[i], body);
    var = i < carried.size() ? ensure(var, carried[i].shape())
                             : with_outer_sizes(body, var, i < declared.size() ? &declared[i].type : nullptr);
    body.graph().output(fmt::format("y{}", i), var);
  }
}

// ------------------------------------------------------------------------------------------------------------- Loop

bool is_true(const std::optional<Tensor>& tensor) {
  return tensor && tensor->dtype() == DType::bool_ && tensor->elements() == 1 && scalar_of(*tensor).bits != 0;
}

// Whether the condition that the body computes is the one that it got, or constantly true: then the number of trips
// alone ends the loop.
bool goes_on(Node& node, const GraphProto& body) {
  std::string_view name = body.output[0].name;
  for (size_t steps = 0; steps <= body.node.size(); ++steps) {
    if (name == body.input[1].name) return true;
    const auto found = std::ranges::find_if(
        body.node, [&](const NodeProto& maker) { return std::ranges::find(maker.output, name) != maker.output.end(); });
    const NodeProto* maker = found == body.node.end() ? nullptr : &*found;
    if (!maker || maker->op_type != "Identity" || maker->input.empty()) {
      return is_true(constant_in(node, body, name, maker));
    }
    name = maker->input[0];
  }
  return false;
}

struct LoopParts {
  const GraphProto& body;
  size_t carried, scanned;      // how many
  std::vector<size_t> inputs;   // those of the node that hold the carried values
  std::vector<Growth> growths;  // what the last scanned ones are pieces of
};

LoopParts loop_parts(Node& node) {
  const GraphProto& body = node.subgraph("body");
  const size_t carried = node.input_count() < 2 ? 0 : node.input_count() - 2;
  if (body.input.size() != carried + 2 || body.output.size() < carried + 1) {
    node.malformed("the body", fmt::format("with {} inputs and {} outputs", body.input.size(), body.output.size()),
                   fmt::format("{} inputs and at least {} outputs", carried + 2, carried + 1));
  }
  std::vector<size_t> inputs(carried);
  std::iota(inputs.begin(), inputs.end(), 2);
  return {body, carried, body.output.size() - carried - 1, std::move(inputs), {}};
}

std::vector<Var> carried_inputs(Node& node, const LoopParts& loop) {
  std::vector<Var> carried;
  carried.reserve(loop.carried);
  for (const size_t input : loop.inputs) carried.push_back(node.input(input));
  return carried;
}

// Inputs of a body that stand for the carried values, with the trip number and the condition in front as ONNX has them.
std::vector<Value> declare_carried(Body& body, const LoopParts& loop, const std::vector<Var>& carried) {
  std::vector<Value> inputs{Value(), truth()};
  for (size_t i = 0; i < carried.size(); ++i)
    inputs.push_back(body.input(loop.body.input[i + 2].name, carried[i].type()));
  inputs[0] = body.input(loop.body.input[0].name, {DType::i64, {}, {}});
  return inputs;
}

// carried, ys = scan over the trip numbers
std::vector<Value> counted_loop(Node& node, GraphBuilder& graph, const LoopParts& loop, const Dim& trips) {
  const std::vector<Var> carried = carried_inputs(node, loop);
  Bodies bodies(node.scope().context().program, node.body());
  Body& body = bodies.add(node.add_graph("loop"));
  std::vector<Value> outputs = node.run(loop.body, declare_carried(body, loop, carried), body);
  for (size_t i = 0; i < loop.growths.size(); ++i) {
    Value& piece = outputs[outputs.size() - loop.growths.size() + i];
    piece = as_piece(node.as_var(piece, body), node.type(loop.growths[i].carried + 2).shape, loop.growths[i]);
  }
  set_results(node, body, std::span(outputs).subspan(1), carried, std::span(loop.body.output).subspan(1));
  const std::vector<Var> results = graph.scan(
      body.graph().id(), trips, {.carry = carried, .xs = {graph.iota(trips)}, .captures = bodies.captures()});
  return {results.begin(), results.end()};
}

// carried, trip, condition = while (trip < most && condition)
std::vector<Var> run_open(Node& node, GraphBuilder& graph, const LoopParts& loop) {
  std::vector<Var> carry = carried_inputs(node, loop);
  carry.push_back(graph.scalar(0, DType::i64));
  carry.push_back(node.has(1) ? as_scalar(node.input(1)) : graph.scalar(1, DType::bool_));
  const std::optional<Var> most = node.has(0) ? std::optional(as_scalar(node.input(0))) : std::nullopt;
  const std::vector<Var> carried(carry.begin(), carry.end() - 2);

  Bodies bodies(node.scope().context().program, node.body());
  Body& test = bodies.add(node.add_graph("loop_condition"));
  Body& body = bodies.add(node.add_graph("loop"));
  const Value trip_in_test = declare_carried(test, loop, carried)[0];
  const std::vector<Value> inputs = declare_carried(body, loop, carried);
  const Var condition = test.input("condition", {DType::bool_, {}, {}});
  body.input("condition", {DType::bool_, {}, {}});

  const Var trip = *trip_in_test.var();
  set_results(node, test,
              std::vector<Value>{most ? test.graph().logical_and(condition, test.graph().lt(trip, test.bring(*most)))
                                      : condition});
  std::vector<Value> outputs = node.run(loop.body, inputs, body);
  outputs.resize(1 + loop.carried);
  std::rotate(outputs.begin(), outputs.begin() + 1, outputs.end());
  outputs.back() = as_scalar(node.as_var(outputs.back(), body));
  outputs.insert(outputs.end() - 1, *inputs[0].var() + 1);
  set_results(node, body, outputs, carry);
  return graph.while_(test.graph().id(), body.graph().id(), {.carry = carry, .captures = bodies.captures()});
}

constexpr int64_t kMostUnrolled = 64;

// Written out trip by trip: for sequences, which the program does not know.
std::vector<Value> unrolled_loop(Node& node, GraphBuilder& graph, const LoopParts& loop, int64_t trips) {
  std::vector<Value> carried;
  carried.reserve(loop.carried);
  for (const size_t input : loop.inputs) carried.push_back(node.value(input));
  std::vector<std::vector<Var>> scanned(loop.scanned);
  const auto repeat = node.scope().context().expansion.repeat(loop.body, static_cast<uint64_t>(trips));
  for (int64_t trip = 0; trip < trips; ++trip) {
    std::vector<Value> inputs{tensor_of(DType::i64, {}, {trip}), truth()};
    inputs.insert(inputs.end(), carried.begin(), carried.end());
    const std::vector<Value> outputs = node.run(loop.body, std::move(inputs), node.body());
    carried.assign(outputs.begin() + 1, outputs.begin() + 1 + static_cast<std::ptrdiff_t>(loop.carried));
    for (size_t i = 0; i < loop.scanned; ++i) {
      scanned[i].push_back(unsqueeze(node.as_var(outputs[1 + loop.carried + i]), {0}));
    }
  }
  for (const std::vector<Var>& slices : scanned) {
    if (slices.empty()) throw Unsupported("the shape of a loop without a trip is open");
    carried.emplace_back(graph.concatenate(slices));
  }
  return carried;
}

// The last carried values, then the scanned ones.
std::vector<Value> run_loop(Node& node, GraphBuilder& graph, const LoopParts& loop) {
  bool starts = !node.has(1);
  if (!starts) {
    const auto known = node.find_constant(1);
    starts = known && scalar_of(*known).bits != 0;
  }
  const bool counted = starts && node.has(0) && goes_on(node, loop.body);
  const auto known = counted ? node.find_dims(0) : std::nullopt;
  if (!known && loop.scanned == 0) {
    const std::vector<Var> results = run_open(node, graph, loop);
    return {results.begin(), results.end() - 2};
  }
  // Scan outputs need a length before they begin: where the condition decides, the loop runs once to count the trips.
  const auto repeat = node.scope().context().expansion.repeat(loop.body, counted ? 1 : 2);
  const auto data_trips = [&] {
    const Var count =
        counted ? as_dtype(as_scalar(node.input(0)), DType::i64) : run_open(node, graph, loop)[loop.carried];
    return node.bind_size(graph.max(count, graph.scalar(0, DType::i64)));
  };
  const Dim trips = known ? max(known->at(0), 0) : data_trips();
  bool sequences = false;
  for (const size_t i : loop.inputs) sequences = sequences || node.value(i).sequence() || !node.has(i);
  if (!sequences) return counted_loop(node, graph, loop, trips);
  if (!trips.is_literal() || trips.literal() > kMostUnrolled) {
    throw Unsupported(fmt::format("it carries a sequence through {} trips", to_string(trips)));
  }
  return unrolled_loop(node, graph, loop, trips.literal());
}

void loop_handler(Node& node, GraphBuilder& graph) {
  const LoopParts whole = loop_parts(node);
  const std::vector<Growth> growths = growths_of(whole.body, whole.carried);
  if (growths.empty()) {
    const std::vector<Value> results = run_loop(node, graph, whole);
    for (size_t i = 0; i < results.size(); ++i) node.set(i, results[i]);
    return;
  }
  const GraphProto body = scanning_pieces(whole.body, growths);
  std::vector<size_t> inputs = whole.inputs, outputs(whole.carried + whole.scanned);
  std::iota(outputs.begin(), outputs.end(), 0);
  for (const Growth& growth : growths) {
    std::erase(inputs, growth.carried + 2);
    std::erase(outputs, growth.carried);
  }
  const std::vector<Value> results =
      run_loop(node, graph, {body, inputs.size(), whole.scanned + growths.size(), inputs, growths});
  for (size_t i = 0; i < outputs.size(); ++i) node.set(outputs[i], results[i]);
  for (size_t i = 0; i < growths.size(); ++i) {
    const Var pieces = node.as_var(results[outputs.size() + i]);
    node.set(growths[i].carried, grown(node, node.input(growths[i].carried + 2), pieces, growths[i]));
  }
}

// ------------------------------------------------------------------------------------------------------------- Scan

// x with an axis moved to another place.
Var moved(Var x, int64_t from, int64_t to) {
  if (from == to) return x;
  std::vector<int64_t> perm(x.shape().size());
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + from);
  perm.insert(perm.begin() + to, from);
  return x.graph().transpose(x, perm);
}

std::vector<int64_t> list_or_zeros(Node& node, std::string_view name, size_t count) {
  std::vector<int64_t> list = node.integers(name).value_or(std::vector<int64_t>(count));
  if (list.size() != count) node.malformed(name, fmt::format("{} numbers", list.size()), fmt::format("{}", count));
  return list;
}

// The scanned inputs, each with its axis in front and in the order in which it is read.
std::vector<Var> scanned_inputs(Node& node, size_t states, size_t count) {
  const auto axes = list_or_zeros(node, "scan_input_axes", count);
  const auto backwards = list_or_zeros(node, "scan_input_directions", count);
  std::vector<Var> xs;
  for (size_t i = 0; i < count; ++i) {
    Var x = node.input(states + i);
    x = moved(x, axis_of(node, "scan_input_axes", axes[i], x.type().rank()), 0);
    xs.push_back(backwards[i] != 0 ? x.graph().flip(x, {0}) : x);
  }
  for (size_t i = 1; i < count; ++i) xs[i] = ensure_size(xs[i], 0, xs[0].dim(0));
  return xs;
}

TensorType slice_type(const Node& node, const Var& x) {
  TensorType type = x.type();
  if (type.shape.empty()) node.malformed("an input", "a scalar", "rank 1 or more");
  type.shape.erase(type.shape.begin());
  return type;
}

// How many of the `count` inputs are states; the others are scanned.
size_t states_of(Node& node, const GraphProto& proto, size_t count) {
  const int64_t given = node.integer("num_scan_inputs");
  if (given < 1 || static_cast<size_t>(given) > count || proto.input.size() != count) {
    node.malformed("num_scan_inputs", fmt::format("{}", given), fmt::format("1..{}", count));
  }
  const size_t states = count - static_cast<size_t>(given);
  if (proto.output.size() < states) node.malformed("the body", "with too few outputs", "one for each state");
  return states;
}

// The last carry, then the ys, of the body on slices of xs along axis 0; all in the graph `around`.
std::vector<Var> scan_in(Node& node, Body& around, const GraphProto& proto, const std::vector<Var>& carry,
                         const std::vector<Var>& xs) {
  Bodies bodies(node.scope().context().program, around);
  Body& body = bodies.add(node.add_graph("scan", around));
  std::vector<Value> inputs;
  for (size_t i = 0; i < proto.input.size(); ++i) {
    const TensorType type = i < carry.size() ? carry[i].type() : slice_type(node, xs[i - carry.size()]);
    inputs.push_back(body.input(proto.input[i].name, type));
  }
  set_results(node, body, node.run(proto, inputs, body), carry, proto.output);
  return around.graph().scan(body.graph().id(), xs[0].dim(0),
                             {.carry = carry, .xs = xs, .captures = bodies.captures()});
}

// Version 8: a batch in front of everything, and a scan for each of it.
void batched_scan(Node& node, GraphBuilder& graph) {
  if (node.has(0)) throw Unsupported("sequence_lens are given: sequences of different lengths");
  const GraphProto& proto = node.subgraph("body");
  const std::vector<Var> all = node.inputs(1);
  const size_t states = states_of(node, proto, all.size());
  const auto backwards = list_or_zeros(node, "directions", all.size() - states);
  Bodies bodies(node.scope().context().program, node.body());
  Body& body = bodies.add(node.add_graph("batch"));
  std::vector<Var> carry, xs;
  for (size_t i = 0; i < all.size(); ++i) {
    const Var slice = body.input(proto.input[i].name, slice_type(node, all[i]));
    if (i < states)
      carry.push_back(slice);
    else
      xs.push_back(backwards[i - states] != 0 ? slice.graph().flip(slice, {0}) : slice);
  }
  const std::vector<Var> inner = scan_in(node, body, proto, carry, xs);
  set_results(node, body, std::vector<Value>(inner.begin(), inner.end()));
  const std::vector<Var> results =
      graph.scan(body.graph().id(), all[0].dim(0), {.xs = all, .captures = bodies.captures()});
  for (size_t i = 0; i < results.size(); ++i) node.set(i, results[i]);
}

void scan_handler(Node& node, GraphBuilder&) {
  const GraphProto& proto = node.subgraph("body");
  const size_t states = states_of(node, proto, node.input_count());
  std::vector<Var> carry;
  carry.reserve(states);
  for (size_t i = 0; i < states; ++i) carry.push_back(node.input(i));
  const std::vector<Var> xs = scanned_inputs(node, states, node.input_count() - states);
  const std::vector<Var> results = scan_in(node, node.body(), proto, carry, xs);

  const size_t made = results.size() - states;
  const auto axes = list_or_zeros(node, "scan_output_axes", made);
  const auto backwards = list_or_zeros(node, "scan_output_directions", made);
  for (size_t i = 0; i < states; ++i) node.set(i, results[i]);
  for (size_t i = 0; i < made; ++i) {
    Var y = results[states + i];
    if (backwards[i] != 0) y = y.graph().flip(y, {0});
    node.set(states + i, moved(y, 0, axis_of(node, "scan_output_axes", axes[i], y.type().rank())));
  }
}

constexpr Handler rows[] = {
    {"Loop", 1, loop_handler},
    {"Scan", 8, batched_scan, "ai.onnx", 8},
    {"Scan", 9, scan_handler},
};

}  // namespace

std::span<const Handler> loop_handlers() { return rows; }

}  // namespace ingot::onnx
