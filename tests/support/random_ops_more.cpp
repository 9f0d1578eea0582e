// The ops of index, create, norm, attention, quant, state and custom.
#include <fmt/format.h>

#include "tests/support/random_ops.h"

namespace ingot::test {

// -------------------------------------------------------------------------------------------------------------- index

Ref RandomOps::indices(Shape sizes) {
  const DType dtype = draw_.dtype(kinds::integer);
  if (draw_.chance(30)) return operand(dtype, std::move(sizes));
  return graph_.full(sizes, 0, {.dtype = dtype}).ref();
}

// For an op to bind.
SymbolId RandomOps::new_symbol() {
  const auto id = static_cast<uint32_t>(around_.program.program().symbols.size());
  around_.program.symbol(fmt::format("count{}", id));
  return SymbolId{id};
}

void RandomOps::fill(op::Take& op) {
  const Var x = any_of(kinds::computable, 1);
  op.x = x.ref();
  op.axis = draw_.axis(x.shape().size());
  op.mode = draw_.value_of<IndexMode>();
  op.indices = indices(shape(0, 2));
}

void RandomOps::fill(op::Gather& op) {
  const Var x = any_of(kinds::computable, 1);
  op.x = x.ref();
  op.axis = draw_.axis(x.shape().size());
  op.mode = draw_.value_of<IndexMode>();
  Shape sizes = x.shape();
  size_at(sizes, op.axis) = dim();
  op.indices = indices(std::move(sizes));
}

void RandomOps::fill(op::Scatter& op) {
  const Var x = any_of(kinds::computable, 1);
  op.fn = draw_.value_of<ScatterFn>();
  op.x = x.ref();
  op.axis = draw_.axis(x.shape().size());
  op.mode = draw_.value_of<IndexMode>();
  op.indices = indices(x.shape());
  op.updates = operand(x.dtype(), x.shape());
}

void RandomOps::fill(op::Nonzero& op) {
  op.x = any_of(kinds::computable).ref();
  op.count = new_symbol();
}

// ------------------------------------------------------------------------------------------------------------- create

void RandomOps::fill(op::Iota& op) {
  op.length = dim();
  op.dtype = draw_.dtype(kinds::number);
  if (draw_.chance(40)) op.start = draw_.scalar(op.dtype);
  if (draw_.chance(40)) op.step = draw_.scalar(op.dtype);
}

void RandomOps::fill(op::Full& op) {
  op.shape = shape();
  op.dtype = draw_.dtype();
  op.value = draw_.scalar(op.dtype);
}

void RandomOps::fill(op::Random& op) {
  op.fn = draw_.value_of<RandomFn>();
  op.key = operand(DType::u32, {2});
  op.shape = shape();
  if (op.fn == RandomFn::bits) {
    op.dtype = draw_.chance(50) ? DType::u32 : DType::u64;
    return;
  }
  op.dtype = draw_.dtype(kinds::real);
  if (draw_.chance(40)) op.offset = draw_.real();
  if (draw_.chance(40)) op.scale = draw_.real();
}

void RandomOps::fill(op::SizeOf& op) {
  op.size = dim();
  op.dtype = draw_.chance(40) ? DType::i32 : DType::i64;
}

// ---------------------------------------------------------------------------------------------------- norm, attention

static Shape sizes_from(const Shape& shape, int64_t axis) {
  return {axis < 0 ? shape.end() + axis : shape.begin() + axis, shape.end()};
}

void RandomOps::fill(op::LayerNorm& op) {
  const Var x = any_of(kinds::real, 1);
  op.x = x.ref();
  op.axis = draw_.axis(x.shape().size());
  const Shape tail = sizes_from(x.shape(), op.axis);
  if (draw_.chance(50)) op.weight = operand(draw_.dtype(kinds::real), tail);
  if (draw_.chance(50)) op.bias = operand(draw_.dtype(kinds::real), tail);
  if (draw_.chance(40)) op.eps = 1e-3;
}

void RandomOps::fill(op::RmsNorm& op) {
  const Var x = any_of(kinds::real, 1);
  op.x = x.ref();
  op.axis = draw_.axis(x.shape().size());
  const Shape tail = sizes_from(x.shape(), op.axis);
  if (draw_.chance(50)) op.weight = operand(draw_.dtype(kinds::real), tail);
  if (draw_.chance(40)) op.eps = 0;
}

void RandomOps::fill(op::Attention& op) {
  const Dim b = dim(), s = dim(), t = dim(), e = dim(), d = draw_.between(1, 4);
  const int64_t g = draw_.between(1, 2), h = g * draw_.between(1, 2);
  const DType dtype = draw_.dtype(kinds::real);
  op.q = operand(dtype, {b, h, s, d});
  op.k = operand(dtype, {b, g, t, d});
  op.v = operand(draw_.dtype(kinds::real), {b, g, t, e});
  if (draw_.chance(50)) op.mask = operand(draw_.dtype(kinds::boolean | kinds::real), draw_.narrowed({b, h, s, t}));
  if (draw_.chance(40)) op.scale = 0.25;
  op.causal = draw_.value_of<Causal>();
  if (op.causal != Causal::none && draw_.chance(50)) op.window = draw_.between(1, 3);
  if (draw_.chance(30)) op.softcap = 30;
  if (draw_.chance(30)) op.sinks = operand(draw_.dtype(kinds::real), {h});
  if (draw_.chance(30)) op.lengths = operand(draw_.dtype(kinds::integer), {b});
}

// -------------------------------------------------------------------------------------------------------------- quant

std::optional<Ref> RandomOps::scale() {
  return draw_.chance(40) ? std::optional(operand(DType::f32, {})) : std::nullopt;
}

void RandomOps::fill(op::Quantize& op) {
  op.x = any_of(kinds::real, 1).ref();
  op.scheme = draw_.scheme();
  op.scale = scale();
}

void RandomOps::fill(op::Dequantize& op) {
  op.x = value(draw_.packed(shape(1))).ref();
  op.dtype = draw_.dtype(kinds::real);
  op.scale = scale();
}

void RandomOps::fill(op::QuantizedMatmul& op) {
  const Var x = any_of(kinds::real, 1);
  op.x = x.ref();
  op.w = value(TensorType{DType::packed, {dim(), x.dim(-1)}, draw_.scheme()}).ref();
  op.scale = scale();
}

// ------------------------------------------------------------------------------------------------------------- state

StateId RandomOps::state() {
  ProgramBuilder& program = around_.program;
  const auto count = static_cast<uint32_t>(program.program().states.size());
  if (count > 0 && draw_.chance(75)) return {static_cast<uint32_t>(draw_.below(count))};
  const TensorType type = draw_.type({});
  std::optional<WeightId> initial;
  if (draw_.chance(50)) initial = program.weight(draw_.name("initial"), draw_.tensor(type));
  return program.state(draw_.name("state"), type, initial);
}

void RandomOps::fill(op::StateRead& op) { op.state = state(); }

void RandomOps::fill(op::StateWrite& op) {
  op.state = state();
  op.value = value(TensorType(around_.program.program().states[op.state.id].type)).ref();
}

void RandomOps::fill(op::StateUpdate& op) {
  op.state = state();
  TensorType type = around_.program.program().states[op.state.id].type;
  op.axes = draw_.axes(type.shape.size());
  for (int64_t axis : op.axes) {
    Dim& size = size_at(type.shape, axis);
    size = draw_.between(0, size.literal());
  }
  op.update = value(type).ref();
  for (size_t i = 0; i < op.axes.size(); ++i) op.starts.push_back(indices({}));
  op.mode = draw_.value_of<IndexMode>();
}

// ------------------------------------------------------------------------------------------------------------- custom

NamedAttribute RandomOps::attribute() {
  NamedAttribute attribute{.name = draw_.name("attribute")};
  const uint64_t form = draw_.below(4), count = 1 + draw_.below(3);
  for (uint64_t i = 0; i < count; ++i) {
    if (form == 1) attribute.ints.push_back(draw_.scalar(DType::i64).as_int());
    if (form == 2) attribute.reals.push_back(draw_.chance(80) ? draw_.real() : draw_.scalar(DType::f64).as_real());
  }
  if (form == 3) attribute.text = draw_.words();
  return attribute;
}

void RandomOps::fill(op::Custom& op) {
  op.name = draw_.words();
  const uint64_t operands = draw_.below(4), attributes = draw_.below(3), results = draw_.below(3);
  for (uint64_t i = 0; i < operands; ++i) op.operands.push_back(any().ref());
  for (uint64_t i = 0; i < attributes; ++i) op.attributes.push_back(attribute());
  for (uint64_t i = 0; i < results; ++i) op.results.push_back(draw_.type(around_.symbols));
}

}  // namespace ingot::test
