#include "tests/support/random_program.h"

#include <algorithm>
#include <iterator>

#include "tests/support/random_ops.h"

namespace ingot::test {
namespace {

using Types = std::vector<TensorType>;

// What later graphs may call.
struct Callee {
  GraphId id;
  Types inputs;
};

class ProgramMaker {
 public:
  ProgramMaker(uint64_t seed, const RandomOptions& options) : draw_(seed), options_(options) {
    for (const OpFacts& facts : kOpFacts) {
      const auto opcode = static_cast<Opcode>(&facts - kOpFacts);
      const bool wanted = facts.effects != OpEffects::body && (opcode != Opcode::custom || options.custom);
      if (wanted) opcodes_.push_back(opcode);
    }
  }

  Program run() {
    constexpr const char* names[] = {"S", "inf", "_n2", "min"};
    const uint64_t symbols = draw_.below(std::size(names) + 1);
    for (uint64_t i = 0; i < symbols; ++i) {
      const int64_t min = draw_.between(0, 2), max = draw_.chance(30) ? kUnbounded : min + draw_.between(0, 3);
      around_.symbols.push_back(builder_.symbol(names[i], min, max));
    }
    const uint64_t methods = 1 + draw_.below(options_.methods);
    for (uint64_t i = 0; i < methods; ++i) add_method();
    return builder_.build();
  }

 private:
  Types types(uint64_t most) {
    Types all(draw_.below(most + 1));
    for (TensorType& type : all) type = draw_.type(around_.symbols);
    return all;
  }
  // Of dtypes that can be stacked and sliced.
  Types computable_types(uint64_t most) {
    Types all(draw_.below(most + 1));
    for (TensorType& type : all) type = {draw_.dtype(), draw_.shape(around_.symbols, 0, 2), {}};
    return all;
  }

  void add_nodes(RandomOps& ops, uint64_t most) {
    const uint64_t count = draw_.below(most + 1);
    for (uint64_t i = 0; i < count; ++i) ops.add(draw_.pick(opcodes_));
  }

  // ------------------------------------------------------------------------------------------------------- sub-graphs

  GraphId subgraph(const Types& inputs, const Types& outputs, int depth, bool counts = false) {
    const std::vector<PlannedOp> planned = plans(depth, 20);
    GraphBuilder& graph = builder_.graph(draw_.name("g"));
    RandomOps ops(around_, graph);
    for (const TensorType& type : inputs) ops.offer(graph.input(draw_.name("x"), type));
    add_nodes(ops, 3);
    for (const PlannedOp& plan : planned) ops.add(plan);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const Var value = counts && i == 0 ? ops.first() + 1 : ops.value(outputs[i]);
      graph.output(draw_.name("y"), value);
    }
    return graph.id();
  }

  // Whether a counter, the first of the inputs, is small.
  GraphId below_limit(const Types& inputs) {
    GraphBuilder& graph = builder_.graph(draw_.name("below"));
    std::vector<Var> values;
    for (const TensorType& type : inputs) values.push_back(graph.input(draw_.name("x"), type));
    graph.output("go", graph.lt(values[0], graph.scalar(draw_.between(0, 4), DType::i64)));
    return graph.id();
  }

  // -------------------------------------------------------------------------------------------------- control flow

  std::vector<PlannedOp> plans(int depth, uint64_t percent) {
    std::vector<PlannedOp> all;
    while (depth > 0 && draw_.chance(percent)) all.push_back(plan(depth - 1));
    return all;
  }

  PlannedOp plan(int depth) {
    switch (draw_.below(4)) {
      case 0: return plan_if(depth);
      case 1: return plan_while(depth);
      case 2: return plan_scan(depth);
      default: return plan_call(depth);
    }
  }

  PlannedOp plan_if(int depth) {
    const Types captures = types(2), results = types(2);
    const GraphId on_true = subgraph(captures, results, depth), on_false = subgraph(captures, results, depth);
    return {op::If{.on_true = on_true, .on_false = on_false}, {captures}};
  }

  PlannedOp plan_while(int depth) {
    Types carry = types(2);
    const Types captures = types(1);
    const bool counts = draw_.chance(50);
    if (counts) carry.insert(carry.begin(), TensorType{DType::i64, {}, {}});
    const Types inputs = joined(carry, captures);
    const GraphId condition = counts ? below_limit(inputs) : subgraph(inputs, {{DType::bool_, {}, {}}}, depth);
    op::While op{.condition = condition, .body = subgraph(inputs, carry, depth, counts)};
    if (!counts || draw_.chance(30)) op.max_trips = draw_.between(0, 3);
    return {op, {carry, captures}};
  }

  PlannedOp plan_scan(int depth) {
    const Dim length = draw_.dim(around_.symbols);
    const Types carry = types(1), slices = computable_types(2), captures = types(1), ys = computable_types(2);
    Types xs = slices;
    for (TensorType& type : xs) type.shape.insert(type.shape.begin(), length);
    const GraphId body = subgraph(joined(joined(carry, slices), captures), joined(carry, ys), depth);
    return {op::Scan{.body = body, .length = length, .reverse = draw_.chance(40)}, {carry, xs, captures}};
  }

  PlannedOp plan_call(int depth) {
    if (!methods_.empty() && draw_.chance(30)) {
      const Callee& callee = draw_.pick(methods_);
      return {op::Call{.graph = callee.id}, {callee.inputs}};
    }
    const Types operands = types(2);
    return {op::Call{.graph = subgraph(operands, types(3), depth)}, {operands}};
  }

  static Types joined(Types a, const Types& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  // ----------------------------------------------------------------------------------------------------------- methods

  void add_method() {
    const std::vector<PlannedOp> planned = plans(2, 50);
    GraphBuilder& graph = builder_.method(draw_.name("f"));
    RandomOps ops(around_, graph);
    Types inputs;
    for (const Symbol& symbol : around_.symbols) inputs.push_back(binding(symbol));
    for (const TensorType& type : types(3)) inputs.push_back(type);
    for (const TensorType& type : inputs) ops.offer(graph.input(draw_.name("x"), type));
    add_nodes(ops, options_.nodes);
    for (const PlannedOp& plan : planned) ops.add(plan);
    const uint64_t outputs = draw_.below(5);
    for (uint64_t i = 0; i < outputs; ++i) graph.output(draw_.name("y"), ops.any());
    if (outputs_known(graph.graph())) methods_.push_back({graph.id(), inputs});
  }

  // An input whose sizes tell the symbol.
  TensorType binding(const Symbol& symbol) {
    const Dim size = symbol;
    const Shape shapes[] = {{size}, {2 * size}, {size + 1, 2}, {size, size}};
    return {draw_.dtype(), draw_.pick(shapes), {}};
  }

  // A caller knows the symbols that it binds, not those that an op of the method binds.
  bool outputs_known(const Graph& graph) const {
    return std::ranges::all_of(graph.outputs, [&](const Output& output) {
      std::vector<Symbol> used;
      for (const Dim& size : graph.type(output.value).shape) collect_symbols(size, used);
      return std::ranges::all_of(used, [&](const Symbol& s) { return std::ranges::count(around_.symbols, s) > 0; });
    });
  }

  Draw draw_;
  const RandomOptions& options_;
  ProgramBuilder builder_;
  Surroundings around_{builder_, draw_, {}};
  std::vector<Opcode> opcodes_;
  std::vector<Callee> methods_;
};

}  // namespace

Program random_program(uint64_t seed, const RandomOptions& options) { return ProgramMaker(seed, options).run(); }

std::vector<Tensor> random_inputs(const Program& program, const Graph& method, uint64_t seed) {
  Draw draw(seed);
  Bindings sizes;
  for (const Symbol& symbol : program.symbols) {
    sizes.bind(symbol, symbol.min() + draw.between(0, std::min<int64_t>(symbol.max() - symbol.min(), 3)));
  }
  std::vector<Tensor> inputs;
  for (const Ref input : method.inputs) {
    TensorType type = method.type(input);
    for (Dim& size : type.shape) size = evaluate(size, sizes);
    inputs.push_back(draw.tensor(type));
  }
  return inputs;
}

}  // namespace ingot::test
