// Activations. Their numbers are f32 in the file, so that the defaults are those of f32 as well.
#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

Var activated(ActivationFn fn, Var x, std::optional<double> alpha = {}, std::optional<double> beta = {}) {
  return x.graph().add(op::Activation{.fn = fn, .x = x.ref(), .alpha = alpha, .beta = beta})[0];
}

template <ActivationFn fn>
void plain(Node& node, GraphBuilder&) {
  node.set(0, activated(fn, node.input(0)));
}

void celu(Node& node, GraphBuilder&) {
  node.set(0, activated(ActivationFn::celu, node.input(0), node.real("alpha", 1.0)));
}

void elu(Node& node, GraphBuilder&) {
  node.set(0, activated(ActivationFn::elu, node.input(0), node.real("alpha", 1.0)));
}

void hard_sigmoid(Node& node, GraphBuilder&) {
  const double alpha = node.real("alpha", 0.2F), beta = node.real("beta", 0.5);
  node.set(0, activated(ActivationFn::hard_sigmoid, node.input(0), alpha, beta));
}

void leaky_relu(Node& node, GraphBuilder&) {
  node.set(0, activated(ActivationFn::leaky_relu, node.input(0), node.real("alpha", 0.01F)));
}

void selu(Node& node, GraphBuilder&) {
  // Version 1 had other constants, cut to four digits; it ends before the versions that are read.
  const double alpha = node.real("alpha", 1.67326319217681884765625F);
  node.set(0, activated(ActivationFn::selu, node.input(0), alpha, node.real("gamma", 1.05070102214813232421875F)));
}

void thresholded_relu(Node& node, GraphBuilder&) {
  node.set(0, activated(ActivationFn::thresholded_relu, node.input(0), node.real("alpha", 1.0), 0.0));
}

// x < -lambd ? x + bias : x > lambd ? x - bias : 0, on integers too, which compare as reals and are cut towards zero
void shrink(Node& node, GraphBuilder& graph) {
  const double lambd = node.real("lambd", 0.5), bias = node.real("bias", 0.0);
  const Var x = node.input(0);
  if (is_real(x.dtype()) && lambd >= 0) {
    return node.set(0, activated(ActivationFn::soft_shrink, x, lambd, bias));
  }
  const DType dtype = is_real(x.dtype()) ? widened(x.dtype()) : DType::f64;
  const Var wide = as_dtype(x, dtype), zero = graph.scalar(0, dtype);
  const Var below = graph.lt(wide, graph.scalar(-lambd, dtype)), above = graph.gt(wide, graph.scalar(lambd, dtype));
  const Var y = graph.select(below, wide + bias, graph.select(above, wide - bias, zero));
  node.set(0, as_dtype(y, x.dtype()));
}

void swish(Node& node, GraphBuilder&) {
  node.set(0, activated(ActivationFn::swish, node.input(0), node.real("alpha", 1.0)));
}

// swish(a)·b
void swiglu(Node& node, GraphBuilder& graph) {
  const double alpha = node.real("alpha", 1.0);
  const Var gate = node.input(0), value = ensure(node.input(1), Shape(gate.shape()));
  node.set(0, alpha == 1 ? graph.swiglu(value, gate) : activated(ActivationFn::swish, gate, alpha) * value);
}

void gelu(Node& node, GraphBuilder& graph) {
  const bool by_tanh = node.choice<bool>("approximate", "none", {{"none", false}, {"tanh", true}});
  node.set(0, by_tanh ? graph.gelu_tanh(node.input(0)) : graph.gelu(node.input(0)));
}

// x < 0 ? slope·x : x. Before version 7 a slope of one axis counts along axis 1.
void prelu(Node& node, GraphBuilder& graph) {
  const Var x = node.input(0);
  Var slope = node.input(1);
  const int64_t rank = x.type().rank();
  if (node.version() < 7 && rank > 2 && slope.type().rank() == 1 && slope.dim(0) != Dim(1)) {
    Shape shape(static_cast<size_t>(rank - 1), 1);
    shape[0] = slope.dim(0);
    slope = reshape(slope, shape);
  }
  slope = broadcast_to(slope, Shape(x.shape()));
  node.set(0, graph.select(graph.lt(x, graph.scalar(0, x.dtype())), slope * x, x));
}

// min and max are attributes before version 11. Where they contradict each other max wins.
void clip(Node& node, GraphBuilder& graph) {
  const Var x = node.input(0);
  std::optional<Var> low, high;
  if (node.version() < 11) {
    if (node.has("min")) low = graph.scalar(node.real("min"), x.dtype());
    if (node.has("max")) high = graph.scalar(node.real("max"), x.dtype());
  } else {
    if (node.has(1)) low = as_scalar(node.input(1));
    if (node.has(2)) high = as_scalar(node.input(2));
  }
  node.set(0, low || high ? graph.clip(x, {.low = low, .high = high}) : x);
}

// 1 at the first maximum along the axis, else 0. Before version 13 all axes from `axis` on are one.
void hardmax(Node& node, GraphBuilder& graph) {
  const bool flat = node.version() < 13;
  const int64_t axis = axis_of(node, "axis", node.integer("axis", flat ? 1 : -1), node.rank(0), flat);
  const Var x = node.input(0);
  const Shape shape = node.type(0).shape;
  Shape rows = shape;
  if (flat) {
    rows = {element_count(Shape(shape.begin(), shape.begin() + axis)),
            element_count(Shape(shape.begin() + axis, shape.end()))};
  }
  const int64_t along = flat ? 1 : axis;
  const Var given = ensure_at_least(reshape(x, rows), along, 1);
  const Var y =
      graph.one_hot(graph.argmax(given, {.axis = along}), given.dim(along), {.axis = along, .dtype = x.dtype()});
  node.set(0, reshape(ensure(y, rows), shape));
}

constexpr Handler rows[] = {
    {"Celu", 12, celu},
    {"Clip", 6, clip},
    {"Elu", 6, elu},
    {"Gelu", 20, gelu},
    {"HardSigmoid", 6, hard_sigmoid},
    {"HardSwish", 14, plain<ActivationFn::hard_swish>},
    {"Hardmax", 1, hardmax},
    {"LeakyRelu", 6, leaky_relu},
    {"Mish", 18, plain<ActivationFn::mish>},
    {"PRelu", 6, prelu},
    {"Selu", 6, selu},
    {"Shrink", 9, shrink},
    {"Softsign", 1, plain<ActivationFn::softsign>},
    {"SwiGLU", 28, swiglu},
    {"Swish", 24, swish},
    {"ThresholdedRelu", 10, thresholded_relu},
};

}  // namespace

std::span<const Handler> activation_handlers() { return rows; }

}  // namespace ingot::onnx
