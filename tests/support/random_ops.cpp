// Operands, and the ops of elementwise, reduce, matmul and shape; random_ops_more.cpp has the others.
#include "tests/support/random_ops.h"

#include <algorithm>

#include "program/text/fields.h"
#include "tests/support/op_examples.h"

namespace ingot::test {

RandomOps::RandomOps(Surroundings& around, GraphBuilder& graph) : around_(around), draw_(around.draw), graph_(graph) {}

// -------------------------------------------------------------------------------------------------------------- nodes

void RandomOps::add(Opcode opcode) {
  constexpr int attempts = 40;
  for (int i = 0; i < attempts; ++i) {
    try {
      Op op = make_op(opcode);
      visit(
          [&]<class O>(O& each) {
            if constexpr (requires { fill(each); }) {
              fill(each);
            } else {
              fill_by_example(op);
            }
          },
          op);
      draw_location();
      return accept(graph_.add(std::move(op)));
    } catch (const Error&) {  // then with others
    }
  }
}

// An example with operands of the same types, in which symbols have become small numbers.
void RandomOps::fill_by_example(Op& op) {
  const std::vector<OpExample> examples = op_examples(static_cast<Opcode>(op.index()));
  if (examples.empty()) throw Error(Code::unsupported, "no example");
  const OpExample example = draw_.pick(examples);
  Bindings sizes;
  for (const Symbol& symbol : example.program.symbols) {
    sizes.bind(symbol, draw_.between(symbol.min(), std::min(symbol.max(), symbol.min() + 3)));
  }
  const auto settle = [&](Shape shape) {
    for (Dim& dim : shape) dim = substitute(dim, sizes);
    return shape;
  };
  const auto alike = [&](Ref ref) {
    const TensorType& type = example.graph.type(ref);
    return value({type.dtype, settle(type.shape), type.scheme}).ref();
  };
  op = example.node.op;
  visit_fields(op, [&]<class F>(const FieldFacts&, F& field) {
    if constexpr (std::same_as<F, Ref>) field = alike(field);
    if constexpr (std::same_as<F, std::optional<Ref>>) {
      field = field && draw_.chance(70) ? std::optional(alike(*field)) : std::nullopt;
    }
    if constexpr (std::same_as<F, std::vector<Ref>>) std::ranges::transform(field, field.begin(), alike);
    if constexpr (std::same_as<F, Dim>) field = substitute(field, sizes);
    if constexpr (std::same_as<F, std::optional<Dim>>) field = field ? std::optional(substitute(*field, sizes)) : field;
    if constexpr (std::same_as<F, Shape>) field = settle(field);
    if constexpr (std::same_as<F, SymbolId>) field = new_symbol();
  });
}

void RandomOps::add(PlannedOp planned) {
  size_t list = 0;
  text::visit_operands(planned.op, [&]<class F>(const FieldFacts&, F& field) {
    if constexpr (std::same_as<F, Ref>) field = operand(DType::bool_, {});
    if constexpr (std::same_as<F, std::vector<Ref>>) {
      for (const TensorType& type : planned.passed[list++]) field.push_back(value(type).ref());
    }
  });
  draw_location();
  accept(graph_.add(std::move(planned.op)));
}

void RandomOps::draw_location() {
  graph_.set_node_name(draw_.chance(20) ? draw_.words() : "");
  graph_.set_source({draw_.chance(15) ? draw_.words() : "", draw_.chance(10) ? draw_.words() : ""});
}

void RandomOps::accept(const std::vector<Var>& results) {
  for (const Var& result : results) {
    if (draw_.chance(30)) graph_.name_value(result, draw_.name("v"));
    if (draw_.chance(30)) result.named(draw_.name("v"));
    values_.push_back(result);
  }
  graph_.set_node_name("");
  graph_.set_source({});
}

// ----------------------------------------------------------------------------------------------------------- operands

Var RandomOps::value(const TensorType& type) {
  std::vector<Var> fitting;
  std::ranges::copy_if(values_, std::back_inserter(fitting), [&](const Var& v) { return v.type() == type; });
  if (!fitting.empty() && draw_.chance(75)) return draw_.pick(fitting);
  return values_.emplace_back(create(type));
}

Var RandomOps::create(const TensorType& type) {
  const bool searched = type.scheme && facts(type.scheme->method).searched;  // there is no op that makes it
  if (literal_sizes(type.shape) && (searched || draw_.chance(30))) {
    return graph_.weight(around_.program.weight(draw_.name("w"), draw_.tensor(type)));
  }
  if (type.dtype == DType::packed) return graph_.quantize(value(DType::f32, type.shape), *type.scheme);
  if (kind(type.dtype) == Kind::storage) return graph_.cast(value(DType::f32, type.shape), type.dtype);
  return graph_.full(type.shape, draw_.scalar(type.dtype), {.dtype = type.dtype});
}

Var RandomOps::any() {
  if (!values_.empty() && draw_.chance(85)) return draw_.pick(values_);
  return value(draw_.type(around_.symbols));
}

Var RandomOps::any_of(Kinds kinds, size_t least_rank) {
  std::vector<Var> fitting;
  std::ranges::copy_if(values_, std::back_inserter(fitting),
                       [&](const Var& v) { return within(kinds, v.dtype()) && v.shape().size() >= least_rank; });
  if (!fitting.empty() && draw_.chance(70)) return draw_.pick(fitting);
  return value(draw_.dtype(kinds), shape(least_rank));
}

std::vector<Ref> RandomOps::operands(size_t count, Kinds kinds) {
  const Shape target = shape();
  const DType dtype = draw_.dtype(kinds);
  std::vector<Ref> refs;
  for (size_t i = 0; i < count; ++i) {
    refs.push_back(operand(draw_.chance(70) ? dtype : draw_.dtype(kinds), draw_.narrowed(target)));
  }
  return refs;
}

// -------------------------------------------------------------------------------------------------------- elementwise

void RandomOps::fill(op::Unary& op) {
  // Kinds are equally likely, since some functions take nothing but booleans or complex numbers.
  constexpr Kinds each[] = {kinds::boolean, kinds::integer, kinds::real, kinds::complex};
  op.fn = draw_.value_of<UnaryFn>();
  op.x = any_of(draw_.pick(each)).ref();
}

void RandomOps::fill(op::Binary& op) {
  op.fn = draw_.value_of<BinaryFn>();
  const std::vector<Ref> refs = operands(2, kinds::computable);
  op.a = refs[0];
  op.b = refs[1];
}

void RandomOps::fill(op::Compare& op) {
  op.fn = draw_.value_of<CompareFn>();
  const std::vector<Ref> refs = operands(2, kinds::computable);
  op.a = refs[0];
  op.b = refs[1];
}

void RandomOps::fill(op::Select& op) {
  const std::vector<Ref> refs = operands(2, kinds::computable);
  op.a = refs[0];
  op.b = refs[1];
  op.condition = operand(DType::bool_, draw_.narrowed(graph_.graph().type(op.a).shape));
}

void RandomOps::fill(op::Cast& op) {
  op.x = any().ref();
  op.dtype = draw_.any_dtype();
  op.saturate = draw_.chance(40);
}

// ----------------------------------------------------------------------------------------------------- reduce, matmul

void RandomOps::fill(op::Reduce& op) {
  const Var x = any_of(kinds::computable);
  op.fn = draw_.value_of<ReduceFn>();
  op.x = x.ref();
  op.axes = draw_.axes(x.shape().size());
  op.keepdims = draw_.chance(40);
  const bool spread = op.fn == ReduceFn::var || op.fn == ReduceFn::std;
  if (spread && draw_.chance(50)) op.ddof = 1;
  if (!spread && draw_.chance(30)) op.dtype = draw_.dtype(kinds::number);
}

void RandomOps::fill(op::ArgReduce& op) {
  const Var x = any_of(kinds::boolean | kinds::integer | kinds::real, 1);
  op.fn = draw_.value_of<ArgReduceFn>();
  op.x = x.ref();
  op.axis = draw_.axis(x.shape().size());
  op.keepdims = draw_.chance(40);
  op.dtype = draw_.chance(40) ? DType::i32 : DType::i64;
  op.last = draw_.chance(40);
}

void RandomOps::fill(op::Softmax& op) {
  const Var x = any_of(kinds::real, 1);
  op.x = x.ref();
  op.axis = draw_.axis(x.shape().size());
  op.log = draw_.chance(40);
}

void RandomOps::fill(op::Matmul& op) {
  op.transpose_a = draw_.chance(40);
  op.transpose_b = draw_.chance(40);
  const Shape lead = shape(0, 1);
  const Dim m = dim(), k = dim(), n = dim();
  const DType dtype = draw_.dtype(kinds::number);
  const auto matrix = [&](const Dim& rows, const Dim& columns, bool transposed) {
    Shape all = draw_.narrowed(lead);
    all.insert(all.end(), {transposed ? columns : rows, transposed ? rows : columns});
    return operand(draw_.chance(70) ? dtype : draw_.dtype(kinds::number), std::move(all));
  };
  op.a = matrix(m, k, op.transpose_a);
  op.b = matrix(k, n, op.transpose_b);
}

// -------------------------------------------------------------------------------------------------------------- shape

void RandomOps::fill(op::Reshape& op) {
  const Var x = any();
  op.x = x.ref();
  for (int64_t axis : draw_.permutation(x.shape().size())) op.shape.push_back(x.shape()[static_cast<size_t>(axis)]);
  if (op.shape.size() > 1 && draw_.chance(50)) {
    const Dim last = op.shape.back();
    op.shape.pop_back();
    op.shape.back() = op.shape.back() * last;
  }
  if (draw_.chance(30)) op.shape.insert(op.shape.begin(), 1);
}

void RandomOps::fill(op::Transpose& op) {
  const Var x = any_of(kinds::computable);
  op.x = x.ref();
  op.perm = draw_.permutation(x.shape().size());
}

void RandomOps::fill(op::Broadcast& op) {
  op.shape = shape();
  op.x = operand(draw_.dtype(), draw_.narrowed(op.shape));
}

void RandomOps::fill(op::Slice& op) {
  const Var x = any_of(kinds::computable);
  op.x = x.ref();
  op.axes = draw_.axes(x.shape().size());
  for (int64_t axis : op.axes) {
    const Dim size = x.dim(axis);
    const int64_t least = range(size).min, start = draw_.between(0, std::min<int64_t>(least, 4));
    op.starts.push_back(start);
    op.stops.push_back(draw_.chance(50) ? size : Dim(draw_.between(start, std::min<int64_t>(least, 4))));
  }
  if (!draw_.chance(50)) return;
  for (size_t i = 0; i < op.axes.size(); ++i) op.steps.push_back(draw_.between(1, 3));
}

void RandomOps::fill(op::Concatenate& op) {
  Shape sizes = shape(1);
  op.axis = draw_.axis(sizes.size());
  const DType dtype = draw_.dtype();
  const uint64_t count = 1 + draw_.below(3);
  for (uint64_t i = 0; i < count; ++i) {
    op.operands.push_back(operand(draw_.chance(70) ? dtype : draw_.dtype(), sizes));
    size_at(sizes, op.axis) = dim();
  }
}

void RandomOps::fill(op::Pad& op) {
  const Var x = any_of(kinds::computable);
  op.x = x.ref();
  op.mode = draw_.value_of<PadMode>();
  for (size_t i = 0; i < x.shape().size(); ++i) {
    op.before.push_back(draw_.chance(50) ? Dim(0) : draw_.chance(70) ? Dim(1) : dim());
    op.after.push_back(draw_.chance(50) ? Dim(0) : draw_.chance(70) ? Dim(1) : dim());
  }
  if (op.mode == PadMode::constant && draw_.chance(50)) op.value = draw_.scalar(x.dtype());
}

void RandomOps::fill(op::EnsureShape& op) {
  const Var x = any_of(kinds::computable);
  op.x = x.ref();
  op.shape = x.shape();
  for (Dim& size : op.shape) {
    if (draw_.chance(30)) size = dim();
  }
}

}  // namespace ingot::test
