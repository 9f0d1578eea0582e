// ai.onnx.ml: linear models and support vectors.
#include <fmt/format.h>

#include "import/onnx/handlers.h"
#include "import/onnx/ml.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

int64_t columns_of(Node& node, Var x) {
  if (!x.dim(1).is_literal()) throw Unsupported(fmt::format("the number of features is {}", to_string(x.dim(1))));
  if (x.dim(1).literal() < 1) node.malformed("X", to_string(x.shape()), "at least one feature");
  return x.dim(1).literal();
}

// A list as rows of as many columns.
Var matrix(Node& node, const std::vector<double>& numbers, int64_t columns, DType dtype) {
  const auto count = static_cast<int64_t>(numbers.size());
  if (count == 0 || count % columns != 0) {
    node.malformed("coefficients", fmt::format("{}", count), fmt::format("a multiple of {}", columns));
  }
  return constant_reals(node, numbers, {count / columns, columns}, dtype);
}

// x·wᵀ + intercepts: [N, rows of w]
Var linear(Node& node, Var x, Var w) {
  Var y = x.graph().matmul(x, w, {.transpose_b = true});
  const auto intercepts = node.reals("intercepts");
  if (!intercepts || intercepts->empty()) return y;
  const auto count = static_cast<int64_t>(intercepts->size());
  return y + ensure(constant_reals(node, *intercepts, {count}, x.dtype()), {w.dim(0)});
}

void linear_regressor(Node& node, GraphBuilder&) {
  const PostTransform transform = post_transform(node);
  const int64_t targets = node.integer("targets", 1);
  const Var x = features(node);
  const Var w = matrix(node, required_reals(node, "coefficients"), columns_of(node, x), x.dtype());
  if (equal(w.dim(0), Dim(targets)) != Proof::yes) {
    node.malformed("targets", fmt::format("{}", targets), to_string(w.dim(0)));
  }
  node.set(0, as_dtype(transformed(linear(node, x, w), transform), DType::f32));
}

// One row of coefficients stands for two classes: its score and the opposite.
void linear_classifier(Node& node, GraphBuilder& graph) {
  node.ignore("multi_class", "it says how the model was trained");
  const PostTransform transform = post_transform(node);
  const Labels labels = labels_of(node, "classlabels_ints", "classlabels_strings");
  const Var x = features(node);
  const Var w = matrix(node, required_reals(node, "coefficients"), columns_of(node, x), x.dtype());
  Var scores = linear(node, x, w);
  if (w.dim(0) == Dim(1) && labels.count == 2) scores = graph.concatenate({-scores, scores}, {.axis = 1});
  if (equal(scores.dim(1), Dim(static_cast<int64_t>(labels.count))) != Proof::yes) {
    throw Unsupported(fmt::format("{} scores for {} labels", to_string(scores.dim(1)), labels.count));
  }
  set_labels(node, graph.argmax(scores, {.axis = 1}), labels);
  node.set(1, as_dtype(transformed(scores, transform), DType::f32));
}

// ----------------------------------------------------------------------------------------------------- support vectors

enum class Kernel { linear, poly, rbf, sigmoid };

struct KernelParameters {
  double gamma = 0, coef0 = 0, degree = 0;
};

// k(x, v) for each row of x and each vector: [N, V]
Var kernel_of(Var x, Var vectors, Kernel kernel, const KernelParameters& p) {
  GraphBuilder& graph = x.graph();
  if (kernel == Kernel::rbf) {
    const Var distance = graph.reduce_sum(graph.square(unsqueeze(x, {1}) - unsqueeze(vectors, {0})), {2});
    return graph.exp(distance * -p.gamma);
  }
  const Var dot = graph.matmul(x, vectors, {.transpose_b = true});
  if (kernel == Kernel::linear) return dot;
  const Var moved = dot * p.gamma + p.coef0;
  return kernel == Kernel::sigmoid ? graph.tanh(moved) : graph.pow(moved, graph.scalar(p.degree, x.dtype()));
}

KernelParameters parameters_of(Node& node) {
  const std::vector<double> list = node.reals("kernel_params").value_or(std::vector<double>{});
  if (list.empty()) return {};
  if (list.size() != 3) node.malformed("kernel_params", fmt::format("{}", list.size()), "3 numbers");
  return {list[0], list[1], list[2]};
}

void svm_regressor(Node& node, GraphBuilder& graph) {
  const PostTransform transform = post_transform(node);
  const Kernel kernel = node.choice<Kernel>(
      "kernel_type", "LINEAR",
      {{"LINEAR", Kernel::linear}, {"POLY", Kernel::poly}, {"RBF", Kernel::rbf}, {"SIGMOID", Kernel::sigmoid}});
  const KernelParameters parameters = parameters_of(node);
  const bool one_class = node.flag("one_class", false);
  const int64_t supports = node.integer("n_supports", 0);
  const std::vector<double> coefficients = required_reals(node, "coefficients"), rho = required_reals(node, "rho");
  if (rho.size() != 1) node.malformed("rho", fmt::format("{} numbers", rho.size()), "one");
  const Var x = features(node);
  const int64_t columns = columns_of(node, x);
  Var y = x;
  if (supports > 0) {
    const Var vectors = matrix(node, required_reals(node, "support_vectors"), columns, x.dtype());
    const Var weights = matrix(node, coefficients, supports, x.dtype());
    y = graph.matmul(kernel_of(x, vectors, kernel, parameters), weights, {.transpose_b = true});
  } else {
    y = kernel_of(x, matrix(node, coefficients, columns, x.dtype()), kernel, parameters);
  }
  y = y + rho[0];
  if (one_class) {
    const Var inside = graph.gt(y, graph.scalar(0.0, y.dtype()));
    y = graph.select(inside, graph.scalar(1.0, y.dtype()), graph.scalar(-1.0, y.dtype()));
  }
  node.set(0, as_dtype(transformed(y, transform), DType::f32));
}

constexpr Handler rows[] = {
    {"LinearClassifier", 1, linear_classifier, kMl},
    {"LinearRegressor", 1, linear_regressor, kMl},
    {"SVMRegressor", 1, svm_regressor, kMl},
};

}  // namespace

std::span<const Handler> ml_linear_handlers() { return rows; }

}  // namespace ingot::onnx
