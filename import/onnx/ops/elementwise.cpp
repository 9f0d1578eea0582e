// Element-wise ops. ONNX broadcasts as NumPy does, and apart from Pow and BitShift wants equal dtypes.
#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"

namespace ingot::onnx {
namespace {

template <UnaryFn fn>
void unary(Node& node, GraphBuilder& graph) {
  node.set(0, graph.add(op::Unary{.fn = fn, .x = node.input(0).ref()})[0]);
}

Var combined(BinaryFn fn, Var a, Var b) {
  const std::vector<Var> operands = broadcastable({a, b});
  return a.graph().add(op::Binary{.fn = fn, .a = operands[0].ref(), .b = operands[1].ref()})[0];
}

struct Operands {
  Var a, b;
};

// Before version 7 only b stretches, and its axes stand where `axis` says, else at the end.
Operands operands_of(Node& node) {
  const Var a = node.input(0), b = node.input(1);
  if (node.version() >= 7) return {a, b};
  node.ignore("consumed_inputs", "a hint about memory");
  node.ignore("broadcast", "without it the shapes are equal");
  if (!node.has("axis")) return {a, b};
  const int64_t axis = axis_of(node, "axis", node.integer("axis"), a.type().rank());
  Shape shape = b.shape();
  shape.resize(std::max(shape.size(), a.shape().size() - static_cast<size_t>(axis)), 1);
  return {a, reshape(b, shape)};
}

template <BinaryFn fn>
void binary(Node& node, GraphBuilder&) {
  const auto [a, b] = operands_of(node);
  node.set(0, combined(fn, a, b));
}

Var combined_all(BinaryFn fn, Node& node) {
  Var result = node.input(0);
  for (size_t i = 1; i < node.input_count(); ++i) result = combined(fn, result, node.input(i));
  return result;
}

template <BinaryFn fn>
void variadic(Node& node, GraphBuilder&) {
  node.set(0, combined_all(fn, node));
}

template <CompareFn fn>
void compare(Node& node, GraphBuilder& graph) {
  const auto [a, b] = operands_of(node);
  const std::vector<Var> operands = broadcastable({a, b});
  node.set(0, graph.add(op::Compare{.fn = fn, .a = operands[0].ref(), .b = operands[1].ref()})[0]);
}

// Integers are cut towards zero.
void divide(Node& node, GraphBuilder&) {
  const auto [a, b] = operands_of(node);
  node.set(0, combined(is_integer(a.dtype()) ? BinaryFn::trunc_div : BinaryFn::div, a, b));
}

void modulo(Node& node, GraphBuilder&) {
  const bool as_in_c = node.flag("fmod", false);
  node.set(0, combined(as_in_c ? BinaryFn::fmod : BinaryFn::rem, node.input(0), node.input(1)));
}

// The result has the dtype of the base.
void power(Node& node, GraphBuilder& graph) {
  const auto [base, exponent] = operands_of(node);
  const Var result = combined(BinaryFn::pow, base, exponent);
  node.set(0, result.dtype() == base.dtype() ? result : graph.cast(result, base.dtype()));
}

void mean(Node& node, GraphBuilder&) {
  node.set(0, combined_all(BinaryFn::add, node) / static_cast<double>(node.input_count()));
}

void bit_shift(Node& node, GraphBuilder&) {
  const auto fn =
      node.choice<BinaryFn>("direction", "", {{"LEFT", BinaryFn::shift_left}, {"RIGHT", BinaryFn::shift_right}});
  node.set(0, combined(fn, node.input(0), node.input(1)));
}

void where(Node& node, GraphBuilder& graph) {
  const std::vector<Var> operands = broadcastable({node.input(0), node.input(1), node.input(2)});
  node.set(0, graph.select(operands[0], operands[1], operands[2]));
}

void is_inf(Node& node, GraphBuilder& graph) {
  const bool positive = node.flag("detect_positive", true), negative = node.flag("detect_negative", true);
  const Var x = node.input(0), infinite = graph.isinf(x);
  const Var zero = graph.scalar(0, x.dtype());
  if (positive && negative) return node.set(0, infinite);
  if (!positive && !negative) return node.set(0, graph.logical_and(infinite, graph.scalar(0, DType::bool_)));
  node.set(0, graph.logical_and(infinite, positive ? graph.gt(x, zero) : graph.lt(x, zero)));
}

constexpr Handler rows[] = {
    {"Abs", 6, unary<UnaryFn::abs>},
    {"Acos", 7, unary<UnaryFn::acos>},
    {"Acosh", 9, unary<UnaryFn::acosh>},
    {"Asin", 7, unary<UnaryFn::asin>},
    {"Asinh", 9, unary<UnaryFn::asinh>},
    {"Atan", 7, unary<UnaryFn::atan>},
    {"Atanh", 9, unary<UnaryFn::atanh>},
    {"BitwiseNot", 18, unary<UnaryFn::bitwise_not>},
    {"Ceil", 6, unary<UnaryFn::ceil>},
    {"Cos", 7, unary<UnaryFn::cos>},
    {"Cosh", 9, unary<UnaryFn::cosh>},
    {"Erf", 9, unary<UnaryFn::erf>},
    {"Exp", 6, unary<UnaryFn::exp>},
    {"Floor", 6, unary<UnaryFn::floor>},
    {"IsNaN", 9, unary<UnaryFn::isnan>},
    {"Log", 6, unary<UnaryFn::log>},
    {"Neg", 6, unary<UnaryFn::neg>},
    {"Not", 1, unary<UnaryFn::logical_not>},
    {"Reciprocal", 6, unary<UnaryFn::reciprocal>},
    {"Relu", 6, unary<UnaryFn::relu>},
    {"Round", 11, unary<UnaryFn::round>},
    {"Sigmoid", 6, unary<UnaryFn::sigmoid>},
    {"Sign", 9, unary<UnaryFn::sign>},
    {"Sin", 7, unary<UnaryFn::sin>},
    {"Sinh", 9, unary<UnaryFn::sinh>},
    {"Softplus", 1, unary<UnaryFn::softplus>},
    {"Sqrt", 6, unary<UnaryFn::sqrt>},
    {"Tan", 7, unary<UnaryFn::tan>},
    {"Tanh", 6, unary<UnaryFn::tanh>},
    {"IsInf", 10, is_inf},

    {"Add", 6, binary<BinaryFn::add>},
    {"And", 1, binary<BinaryFn::logical_and>},
    {"BitShift", 11, bit_shift},
    {"BitwiseAnd", 18, binary<BinaryFn::bitwise_and>},
    {"BitwiseOr", 18, binary<BinaryFn::bitwise_or>},
    {"BitwiseXor", 18, binary<BinaryFn::bitwise_xor>},
    {"Div", 6, divide},
    {"Max", 6, variadic<BinaryFn::max>},
    {"Mean", 6, mean},
    {"Min", 6, variadic<BinaryFn::min>},
    {"Mod", 10, modulo},
    {"Mul", 6, binary<BinaryFn::mul>},
    {"Or", 1, binary<BinaryFn::logical_or>},
    {"Pow", 1, power},
    {"Sub", 6, binary<BinaryFn::sub>},
    {"Sum", 6, variadic<BinaryFn::add>},
    {"Xor", 1, binary<BinaryFn::logical_xor>},

    {"Equal", 1, compare<CompareFn::eq>},
    {"Greater", 1, compare<CompareFn::gt>},
    {"GreaterOrEqual", 12, compare<CompareFn::ge>},
    {"Less", 1, compare<CompareFn::lt>},
    {"LessOrEqual", 12, compare<CompareFn::le>},

    {"Where", 9, where},
};

}  // namespace

std::span<const Handler> elementwise_handlers() { return rows; }

}  // namespace ingot::onnx
