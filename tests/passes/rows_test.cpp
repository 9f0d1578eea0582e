// The facts about lanes, for every op: rows, of one slice or two, that come along any axis of any operand of an example
// either give the first rows of what all give, or are refused. And random programs.
#include "passes/rows.h"

#include <gtest/gtest.h>

#include "passes/effects.h"
#include "passes/operands.h"
#include "program/builder.h"
#include "tests/passes/active_support.h"
#include "tests/support/random_ops.h"
#include "tests/support/random_program.h"
#include "tests/support/sanitized.h"

namespace ingot::test {
namespace {

// ----------------------------------------------------------------------------------------------------------- examples

// An op, whose operands are numbered by their place, and their types.
struct Drawn {
  Op op;
  std::vector<TensorType> operands;
};

// None where no valid one was found.
std::optional<Drawn> drawn(Opcode opcode, Draw& draw) {
  ProgramBuilder builder;
  Surroundings around{builder, draw, {}};
  GraphBuilder& graph = builder.method("f");
  RandomOps(around, graph).add(opcode);
  const std::vector<Node>& nodes = graph.graph().nodes;
  if (nodes.empty() || nodes.back().op.opcode() != opcode) return std::nullopt;
  Drawn result{nodes.back().op, {}};
  visit_operands(result.op, [&](Ref& ref) {
    const TensorType& type = graph.graph().type(ref);
    ref = {static_cast<uint32_t>(result.operands.size())};
    result.operands.push_back(type);
  });
  return result;
}

// Numbers that few ops fail for: small integers; reals of which matrices are near 1, and vectors ascend.
Tensor agreeable(DType dtype, const Shape& shape, Draw& draw) {
  const Sizes sizes = *literal_sizes(shape);
  Tensor tensor = Tensor::allocate(dtype, sizes);
  const size_t size = static_cast<size_t>(bits(dtype)) / 8, rank = sizes.size();
  const auto format = float_format(dtype);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    uint64_t stored = rank == 1 ? static_cast<uint64_t>(i > 0) : draw.below(2);
    if (format) {
      const bool diagonal = rank > 1 && i % sizes[rank - 1] == i / sizes[rank - 1] % sizes[rank - 2];
      const double noise = 0.1 * static_cast<double>(draw.below(1000)) / 1000;
      stored = *encode(*format, noise + (rank == 1 ? 0.2 * static_cast<double>(i + 1) : diagonal ? 1 : 0));
    }
    std::memcpy(tensor.mutable_bytes().data() + static_cast<size_t>(i) * size, &stored, size);
  }
  return tensor;
}

// What an operand is made of: elements of whole bytes, from which a cast or quantize makes the others.
DType source_dtype(DType dtype) {
  return can_cut(dtype) && kind(dtype) != Kind::storage && dtype != DType::c64 ? dtype : DType::f32;
}

Var as_type(GraphBuilder& graph, Var x, const TensorType& type) {
  if (type.dtype == DType::packed) return graph.quantize(x, *type.scheme);
  return x.dtype() == type.dtype ? x : graph.cast(x, type.dtype);
}

std::vector<int64_t> to_front(size_t rank, size_t axis) {
  std::vector<int64_t> perm{static_cast<int64_t>(axis)};
  for (size_t i = 0; i < rank; ++i) {
    if (i != axis) perm.push_back(static_cast<int64_t>(i));
  }
  return perm;
}

// The op in a method: operands with an axis here are inputs with that axis in front, cut into rows of `block` slices,
// the others weights.
struct Trial {
  Program program;
  std::vector<Tensor> inputs;

  Trial(const Drawn& drawn, const std::vector<std::optional<size_t>>& axes, int64_t block, Draw& draw) {
    ProgramBuilder builder;
    GraphBuilder& f = builder.method("f");
    std::vector<Var> operands;
    for (size_t i = 0; i < axes.size(); ++i) {
      const TensorType& type = drawn.operands[i];
      const std::string name = fmt::format("operand {}", i);
      if (type.dtype == DType::packed && !axes[i]) {
        operands.push_back(f.weight(builder.weight(name, draw.tensor(type))));
        continue;
      }
      const Tensor numbers = agreeable(source_dtype(type.dtype), type.shape, draw);
      const Var x = axes[i] ? moved_input(f, name, numbers, *axes[i], block) : f.weight(builder.weight(name, numbers));
      operands.push_back(as_type(f, x, type));
    }
    Op op = drawn.op;
    visit_operands(op, [&](Ref& ref) { ref = operands[ref.id].ref(); });
    for (Var result : f.add(op)) {
      if (result.dtype() == DType::packed) result = f.dequantize(result);
      if (!can_cut(result.dtype())) result = f.cast(result, DType::f32);
      f.output(fmt::format("y{}", f.graph().outputs.size()), result);
    }
    program = builder.build();
  }

 private:
  Var moved_input(GraphBuilder& f, const std::string& name, const Tensor& numbers, size_t axis, int64_t block) {
    const std::vector<int64_t> perm = to_front(numbers.sizes().size(), axis);
    std::vector<int64_t> back(perm.size());
    Shape shape;
    Sizes sizes;
    for (size_t i = 0; i < perm.size(); ++i) {
      sizes.push_back(numbers.sizes()[static_cast<size_t>(perm[i])]);
      shape.emplace_back(sizes.back());
      back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
    }
    Tensor input = Tensor::allocate(numbers.dtype(), sizes);
    const size_t size = static_cast<size_t>(bits(numbers.dtype())) / 8;
    int64_t before = 1, behind = 1;
    for (size_t i = 0; i < axis; ++i) before *= numbers.sizes()[i];
    for (size_t i = axis + 1; i < perm.size(); ++i) behind *= numbers.sizes()[i];
    for (int64_t b = 0; b < before; ++b) {
      for (int64_t r = 0; r < sizes[0]; ++r) {
        std::memcpy(input.mutable_bytes().data() + static_cast<size_t>((r * before + b) * behind) * size,
                    numbers.bytes().data() + static_cast<size_t>((b * sizes[0] + r) * behind) * size,
                    static_cast<size_t>(behind) * size);
      }
    }
    Shape in_rows = shape;
    if (block > 1) {
      in_rows[0] = sizes[0] / block;
      in_rows.insert(in_rows.begin() + 1, block);
    }
    inputs.emplace_back(input.dtype(), *literal_sizes(in_rows), input.buffer());
    const Var x = f.input(name, numbers.dtype(), in_rows);
    return f.transpose(block > 1 ? f.reshape(x, shape) : x, back);
  }
};

struct Tally {
  size_t compared = 0, refused = 0, failed = 0;
};

// Rows along one axis of one operand, and along every other that has its lane.
void try_axis(const Drawn& drawn, size_t operand, size_t axis, int64_t block, const std::optional<Lanes>& lanes,
              Draw& draw, Tally& tally) {
  const int64_t upper = drawn.operands[operand].shape[axis].literal() / block;
  std::vector<std::optional<size_t>> axes(drawn.operands.size());
  axes[operand] = axis;
  const std::optional<size_t> lane = lanes ? lanes->operands[operand][axis] : std::nullopt;
  for (size_t i = 0; lane && i < axes.size(); ++i) {
    const auto place = std::ranges::find(lanes->operands[i], lane);
    const bool also = i != operand && draw.chance(50) && place != lanes->operands[i].end() && !drawn.operands[i].scheme;
    if (also) axes[i] = static_cast<size_t>(place - lanes->operands[i].begin());
  }
  const QuantScheme* scheme = drawn.operands[operand].scheme ? &*drawn.operands[operand].scheme : nullptr;
  if (scheme && facts(scheme->method).searched) return;  // nothing makes such rows
  const Trial trial(drawn, axes, block, draw);
  const ActiveProgram active = with_active_extent(trial.program, upper);
  const ActiveMethod& method = active.methods[0];
  SCOPED_TRACE(fmt::format("operand {}, axis {}, rows of {}: {}\n{}", operand, axis, block, method.reason,
                           print(active.program)));
  if (!method.applies()) {
    // What is quantised is cut before, not after.
    const bool packed =
        std::ranges::any_of(drawn.operands, [](const TensorType& t) { return t.dtype == DType::packed; });
    const bool parts = lane && lanes->ratios.contains(*lane) && block % lanes->ratios.at(*lane).operands != 0;
    EXPECT_TRUE(!lane || packed || parts) << "a lane that is refused";
    ++tally.refused;
    return;
  }
  EXPECT_TRUE(!lanes || lane) << "rows go where there is no lane";
  for (const int64_t actual : {int64_t{0}, int64_t{1}, upper - 1, upper}) {
    const bool ran = expect_first_rows(trial.program, active, method, trial.inputs, actual);
    ++(ran ? tally.compared : tally.failed);
  }
}

// Ops that rows never go through, whatever their attributes, and those that have no operand to bring them.
constexpr Opcode kWithoutRows[] = {
    Opcode::nonzero, Opcode::item, Opcode::unique, Opcode::masked_scatter,     Opcode::as_strided, Opcode::nms,
    Opcode::iota,    Opcode::full, Opcode::random, Opcode::random_permutation, Opcode::size_of,    Opcode::eye,
};

// Ops whose random examples leave no axis alone: active_extent_test.cpp has one that does.
constexpr Opcode kElsewhere[] = {Opcode::flip, Opcode::roll, Opcode::dynamic_update, Opcode::irfft, Opcode::sgd_step};

void try_every_axis(const Drawn& drawn, Draw& draw, Tally& tally) {
  Program program;
  Graph graph;
  for (const TensorType& type : drawn.operands) graph.values.push_back({ValueKind::input, 0, type, {}});
  const std::string name = mnemonic(drawn.op);
  const Types results = infer(drawn.op, program, graph);
  const std::optional<Lanes> lanes = lanes_of(drawn.op, {program, graph, name}, results);
  if (lanes) {
    ASSERT_EQ(lanes->operands.size(), drawn.operands.size());
    ASSERT_EQ(lanes->results.size(), results.size());
  }
  for (size_t i = 0; i < drawn.operands.size(); ++i) {
    for (size_t axis = 0; axis < drawn.operands[i].shape.size(); ++axis) {
      const int64_t size = drawn.operands[i].shape[axis].literal();
      if (size > 0) try_axis(drawn, i, axis, 1, lanes, draw, tally);
      if (size > 2 && size % 2 == 0) try_axis(drawn, i, axis, 2, lanes, draw, tally);
    }
  }
}

TEST(Lanes, HoldForEveryOp) {
  constexpr int kDraws = is_sanitized ? 10 : 30;
  for (const OpFacts& facts : kOpFacts) {
    const auto opcode = static_cast<Opcode>(&facts - kOpFacts);
    if (facts.effects != OpEffects::pure || opcode == Opcode::custom) continue;
    Draw draw(static_cast<uint64_t>(opcode));
    Tally tally;
    for (int i = 0; i < kDraws; ++i) {
      const std::optional<Drawn> op = drawn(opcode, draw);
      if (op && stands_alone(op->op)) try_every_axis(*op, draw, tally);
    }
    const bool without = std::ranges::count(kWithoutRows, opcode) + std::ranges::count(kElsewhere, opcode) > 0;
    EXPECT_EQ(tally.compared == 0, without)
        << facts.mnemonic << ": " << tally.compared
        << " calls were compared; see kWithoutRows above, and tests/data/ops/<family>.txt";
  }
}

// ---------------------------------------------------------------------------------------------------- random programs

struct Counts {
  size_t accepted = 0, refused = 0, compared = 0, merged = 0;
};

// Every method with that many rows, if it has any.
void expect_rows(const Program& program, int64_t upper, uint64_t seed, Counts& counts) {
  const ActiveProgram active = with_active_extent(program, upper);
  for (const ActiveMethod& method : active.methods) {
    if (!method.applies()) {
      ++counts.refused;
      continue;
    }
    ++counts.accepted;
    counts.merged += std::ranges::any_of(method.outputs, [](const auto& rows) { return rows && rows->block > 1; });
    const std::vector<Tensor> inputs = random_inputs(program, *program.method(method.method), seed);
    bool whole_bytes = true;
    for (size_t i = 0; i < inputs.size(); ++i) {
      whole_bytes = whole_bytes && (!method.inputs[i] || can_cut(inputs[i].dtype()));
    }
    if (!whole_bytes) continue;
    for (const int64_t actual : {int64_t{0}, int64_t{1}, upper - 1, upper}) {
      counts.compared += expect_first_rows(program, active, method, inputs, actual);
    }
  }
  if (testing::Test::HasFailure()) ADD_FAILURE() << print(program) << "\nbecame\n" << print(active.program);
}

// The elements in other sizes: of an axis and the next in one, of an axis in two, or in any.
Shape other_sizes(Shape shape, Draw& draw) {
  const auto axis = static_cast<size_t>(draw.below(shape.size()));
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const int64_t part = draw.between(2, 4);
  if (draw.chance(20)) return {floor_div(element_count(shape), part), part};
  if (draw.chance(50) && axis + 1 < shape.size()) {
    *at = *at * shape[axis + 1];
    shape.erase(at + 1);
  } else {
    *at = floor_div(*at, part);
    shape.insert(at + 1, part);
  }
  return shape;
}

// A value made of others, along axes as they fall: some keep rows apart, some do not. Throws for what does not fit.
Var step(GraphBuilder& f, Draw& draw, const std::vector<Var>& values) {
  const Var x = draw.pick(values), z = draw.pick(values);
  const size_t rank = x.shape().size();
  const int64_t axis = draw.axis(rank);
  const Dim size = x.dim(axis);
  switch (draw.below(20)) {
    case 0: return f.tanh(x);
    case 1: return f.add(x, z);
    case 2: return f.mul(f.transpose(x, draw.permutation(rank)), z);
    case 3: return f.transpose(x, draw.permutation(rank));
    case 4: return f.softmax(x, {.axis = axis});
    case 5: return f.sub(x, f.reduce_max(x, {axis}, {.keepdims = true}));
    case 6: return f.reduce_sum(x, {axis});
    case 7: return f.reshape(x, {x.dim(0), floor_div(element_count(x.shape()), x.dim(0))});
    case 8:
      return f.reshape(x,
                       rank == 1 ? Shape{1, size} : Shape{x.dim(0), 1, floor_div(element_count(x.shape()), x.dim(0))});
    case 9: return f.matmul(x, z, {.transpose_a = draw.chance(30), .transpose_b = draw.chance(50)});
    case 10: return f.concatenate({x, z}, {.axis = axis});
    case 11: return f.slice(x, {axis}, {draw.chance(50) ? 0 : 1}, {size});
    case 12: return f.cumsum(x, {.axis = axis});
    case 13: return f.take(x, f.iota(draw.chance(50) ? size : Dim(1)), {.axis = axis});
    case 14: return f.layer_norm(x, {.axis = axis});
    case 15:
    case 16:
    case 17:
    case 18: return f.reshape(x, other_sizes(x.shape(), draw));
    default: return f.add(x, f.reshape(f.iota(element_count(x.shape()), {.dtype = DType::f32}), x.shape()));
  }
}

// Inputs with rows and one without, which may have as many columns.
Program program_on_rows(uint64_t seed, int64_t upper) {
  Draw draw(seed);
  ProgramBuilder builder;
  GraphBuilder& f = builder.method("f");
  const int64_t columns = draw.chance(50) ? upper : 2;
  std::vector<Var> values{f.input("x", DType::f32, {upper, columns}), f.input("z", DType::f32, {upper, 2, columns}),
                          f.input("w", DType::f32, {1, columns})};
  for (int64_t left = draw.between(1, 6); left > 0; --left) {
    try {
      const Var next = step(f, draw, values);
      if (!next.shape().empty()) values.push_back(next);
    } catch (const Error&) {  // then without
    }
  }
  f.output("y", values.back());
  return builder.build();
}

TEST(RandomRows, WhatIsAcceptedGivesTheFirstRows) {
  Counts counts;
  for (uint64_t seed = 0; seed < 3000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const int64_t upper = 2 + static_cast<int64_t>(seed % 3);
    expect_rows(program_on_rows(seed, upper), upper, seed, counts);
  }
  EXPECT_GT(counts.accepted, 500U);
  EXPECT_GT(counts.refused, 500U);
  EXPECT_GT(counts.compared, 1000U);
  EXPECT_GT(counts.merged, 50U);
}

// Symbols, states, control flow and several methods as well.
TEST(RandomRows, AnyProgram) {
  constexpr uint64_t kSeeds = is_sanitized ? 40 : 100;
  Counts counts;
  for (uint64_t seed = 0; seed < kSeeds && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Program program = random_program(seed, {.nodes = 4, .custom = false});
    for (const int64_t upper : {1, 2, 3, 4}) expect_rows(program, upper, seed, counts);
  }
  EXPECT_GT(counts.accepted, 20U);
  EXPECT_GT(counts.compared, 20U);
}

}  // namespace
}  // namespace ingot::test
