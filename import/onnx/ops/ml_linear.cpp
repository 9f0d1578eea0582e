// ai.onnx.ml: linear models and support vectors.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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

Kernel kernel_type(Node& node) {
  return node.choice<Kernel>(
      "kernel_type", "LINEAR",
      {{"LINEAR", Kernel::linear}, {"POLY", Kernel::poly}, {"RBF", Kernel::rbf}, {"SIGMOID", Kernel::sigmoid}});
}

KernelParameters parameters_of(Node& node) {
  const std::vector<double> list = node.reals("kernel_params").value_or(std::vector<double>{});
  if (list.empty()) return {};
  if (list.size() != 3) node.malformed("kernel_params", fmt::format("{}", list.size()), "3 numbers");
  return {list[0], list[1], list[2]};
}

void svm_regressor(Node& node, GraphBuilder& graph) {
  const PostTransform transform = post_transform(node);
  const Kernel kernel = kernel_type(node);
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

// The machines of a classifier: each tells two classes apart, `first` where its score is above 0.
struct Pair {
  int64_t first, second;
};

std::vector<Pair> pairs_of(int64_t classes) {
  std::vector<Pair> pairs;
  for (int64_t i = 0; i < classes; ++i) {
    for (int64_t j = i + 1; j < classes; ++j) pairs.push_back({i, j});
  }
  return pairs;
}

// What the constants of a classifier may grow to: they are more than the file holds.
constexpr size_t kMostWeights = size_t{1} << 26;

// How much each vector speaks for the first class of each pair: [vectors, pairs]. The file has [classes - 1, vectors],
// where row r of a vector is about the r-th of the classes that are not its own.
Var pair_weights(Node& node, const std::vector<int64_t>& owners, const std::vector<Pair>& pairs, DType dtype) {
  const std::vector<double> coefficients = required_reals(node, "coefficients");
  const size_t vectors = owners.size();
  node.claim_constant(vectors * pairs.size());
  std::vector<double> weights(vectors * pairs.size());
  for (size_t v = 0; v < vectors; ++v) {
    for (size_t p = 0; p < pairs.size(); ++p) {
      const auto [first, second] = pairs[p];
      if (owners[v] != first && owners[v] != second) continue;
      const auto row = static_cast<size_t>(owners[v] == first ? second - 1 : first);
      weights[v * pairs.size() + p] = coefficients[row * vectors + v];
    }
  }
  return constant_reals(node, weights, {static_cast<int64_t>(vectors), static_cast<int64_t>(pairs.size())}, dtype);
}

// The class that most pairs decide for: [N]
Var elected(Node& node, Var scores, const std::vector<Pair>& pairs, int64_t classes) {
  GraphBuilder& graph = scores.graph();
  const auto count = static_cast<int64_t>(pairs.size());
  node.claim_constant(pairs.size() * static_cast<size_t>(classes));
  std::vector<double> change(static_cast<size_t>(count * classes)), base(static_cast<size_t>(classes));
  for (int64_t p = 0; p < count; ++p) {
    const auto [first, second] = pairs[static_cast<size_t>(p)];
    change[static_cast<size_t>(p * classes + first)] = 1;
    change[static_cast<size_t>(p * classes + second)] = -1;
    base[static_cast<size_t>(second)] += 1;
  }
  const Var firsts = as_dtype(graph.gt(scores, graph.scalar(0.0, scores.dtype())), scores.dtype());
  const Var votes = graph.matmul(firsts, constant_reals(node, change, {count, classes}, scores.dtype())) +
                    constant_reals(node, base, {classes}, scores.dtype());
  return graph.argmax(votes, {.axis = 1});
}

// p, Qp and pᵀQp after a step along each class in turn, which leaves the sum of p at 1.
std::vector<Var> descended(Node& node, GraphBuilder& graph, Var q, Var unit, const std::vector<Var>& start) {
  GraphBuilder& step = node.add_graph("descend", graph);
  std::vector<Var> carry;
  for (size_t i = 0; i < start.size(); ++i) carry.push_back(step.input(fmt::format("c{}", i), start[i].type()));
  const Var row = step.input("row", q.dtype(), {q.dim(0), q.dim(1)}), e = step.input("e", q.dtype(), {q.dim(1)});
  const auto [p, qp, pqp] = std::tie(carry[0], carry[1], carry[2]);
  const Var own = step.reduce_sum(qp * e, {1}, {.keepdims = true});
  const Var curve = step.reduce_sum(row * e, {1}, {.keepdims = true});
  const Var change = (pqp - own) / curve, scale = change + 1.0;
  step.output("p", (p + change * e) / scale);
  step.output("qp", (qp + change * row) / scale);
  step.output("pqp", (pqp + change * (change * curve + own * 2.0)) / scale / scale);
  return graph.scan(step.id(), q.dim(1), {.carry = start, .xs = {graph.transpose(q, {1, 0, 2}), unit}});
}

// Probabilities of the classes, [N, C], that fit those of the pairs best: the minimum of pᵀQp, where Q has -r·rᵀ beside
// and the sums of squares of r's columns on the diagonal (Wu, Lin and Weng 2004, second method). As libsvm does it: at
// most 100 rounds, and a row rests where it is close.
Var coupled(Node& node, Var of_pairs, const std::vector<Pair>& pairs, int64_t classes) {
  GraphBuilder& graph = of_pairs.graph();
  const DType dtype = of_pairs.dtype();
  const Dim rows = of_pairs.dim(0);
  const auto count = static_cast<int64_t>(pairs.size());
  std::vector<int64_t> places(static_cast<size_t>(classes * classes), 2 * count);
  for (int64_t p = 0; p < count; ++p) {
    const auto [first, second] = pairs[static_cast<size_t>(p)];
    places[static_cast<size_t>(first * classes + second)] = p;
    places[static_cast<size_t>(second * classes + first)] = count + p;
  }
  const Var zero = graph.full({rows, 1}, 0.0, {.dtype = dtype});
  const Var listed = graph.concatenate({of_pairs, 1.0 - of_pairs, zero}, {.axis = 1});
  const Var r = reshape(graph.take(listed, constant_integers(node, places), {.axis = 1}), {rows, classes, classes});
  const Var unit = graph.eye(classes, classes, {.dtype = dtype});
  const Var q = graph.reduce_sum(graph.square(r), {1}, {.keepdims = true}) * unit - r * graph.transpose(r, {0, 2, 1});

  const std::vector<Var> carry = {graph.full({rows, classes}, 1.0 / static_cast<double>(classes), {.dtype = dtype}),
                                  graph.full({rows, 1}, true, {.dtype = DType::bool_}), graph.scalar(0, DType::i64)};
  const std::vector<Var> captures = {q, unit};
  GraphBuilder &test = node.add_graph("coupling_test"), &round = node.add_graph("coupling");
  const auto declare = [&](GraphBuilder& body) {
    std::vector<Var> in;
    for (const Var& value : carry) in.push_back(body.input(fmt::format("c{}", in.size()), value.type()));
    for (const Var& value : captures) in.push_back(body.input(fmt::format("c{}", in.size()), value.type()));
    return in;
  };
  const std::vector<Var> seen = declare(test), in = declare(round);
  test.output("on", test.logical_and(test.reduce_any(seen[1], {0, 1}), test.lt(seen[2], test.scalar(100, DType::i64))));
  const Var qp = reshape(round.matmul(in[3], unsqueeze(in[0], {2})), {rows, classes});
  const Var pqp = round.reduce_sum(in[0] * qp, {1}, {.keepdims = true});
  const Var error = round.reduce_max(round.abs(qp - pqp), {1}, {.keepdims = true});
  const Var far = round.ge(error, round.scalar(0.005 / static_cast<double>(classes), dtype));
  const Var moves = round.logical_and(in[1], far);
  round.output("p", round.select(moves, descended(node, round, in[3], in[4], {in[0], qp, pqp})[0], in[0]));
  round.output("moves", moves);
  round.output("trip", in[2] + 1);
  return graph.while_(test.id(), round.id(), {.carry = carry, .captures = captures})[0];
}

// 1 / (1 + exp(a·score + b)) for each pair, not quite 0 or 1.
Var pair_probabilities(Node& node, Var scores, const std::vector<double>& a, const std::vector<double>& b) {
  GraphBuilder& graph = scores.graph();
  const auto count = static_cast<int64_t>(a.size());
  const auto constant = [&](const std::vector<double>& list) {
    return ensure(constant_reals(node, list, {count}, scores.dtype()), {scores.dim(1)});
  };
  const Var p = graph.sigmoid(-(scores * constant(a) + constant(b)));
  return graph.min(graph.max(p, graph.scalar(1e-7, p.dtype())), graph.scalar(1.0 - 1e-7, p.dtype()));
}

// Without support vectors the coefficients are a row for each class.
void linear_svm(Node& node, Var x, const Labels& labels, PostTransform transform) {
  GraphBuilder& graph = x.graph();
  const auto classes = static_cast<int64_t>(labels.count);
  const std::vector<double> coefficients = required_reals(node, "coefficients"), rho = required_reals(node, "rho");
  if (rho.empty()) node.malformed("rho", "empty", "a number");
  const Var w = ensure(matrix(node, coefficients, columns_of(node, x), x.dtype()), {classes, x.dim(1)});
  const Var scores = graph.matmul(x, w, {.transpose_b = true}) + rho[0];
  Var chosen = graph.argmax(scores, {.axis = 1});
  // Of two classes it is the second already where the higher score passes a threshold.
  if (classes == 2 && !node.reals("prob_a")) {
    const bool positive = std::ranges::all_of(coefficients, [](double c) { return c >= 0; });
    const Var top = graph.reduce_max(scores, {1}), threshold = graph.scalar(positive ? 0.5 : 0.0, scores.dtype());
    chosen = graph.select(positive ? graph.ge(top, threshold) : graph.gt(top, threshold), graph.scalar(1, DType::i64),
                          chosen);
  }
  set_labels(node, chosen, labels);
  node.set(1, as_dtype(classes == 1 ? scores : transformed(scores, transform), DType::f32));
}

void svm_classifier(Node& node, GraphBuilder& graph) {
  const PostTransform transform = post_transform(node);
  const Kernel kernel = kernel_type(node);
  const KernelParameters parameters = parameters_of(node);
  const Labels labels = labels_of(node, "classlabels_ints", "classlabels_strings");
  const auto classes = static_cast<int64_t>(labels.count);
  const std::vector<int64_t> counts = node.integers("vectors_per_class").value_or(std::vector<int64_t>{});
  const std::vector<double> listed = node.reals("support_vectors").value_or(std::vector<double>{});
  const std::vector<double> a = node.reals("prob_a").value_or(std::vector<double>{}),
                            b = node.reals("prob_b").value_or(std::vector<double>{});
  const Var x = features(node);
  if (listed.empty()) return linear_svm(node, x, labels, transform);

  const Var vectors = matrix(node, listed, columns_of(node, x), x.dtype());
  std::vector<int64_t> owners;  // the class of each vector
  for (size_t i = 0; i < counts.size(); ++i) {
    const auto room = static_cast<int64_t>(listed.size() - owners.size());
    if (counts[i] < 0 || counts[i] > room) node.malformed("vectors_per_class", fmt::format("{}", counts[i]), "fewer");
    owners.insert(owners.end(), static_cast<size_t>(counts[i]), static_cast<int64_t>(i));
  }
  const std::vector<double> coefficients = required_reals(node, "coefficients"), rho = required_reals(node, "rho");
  if (classes < 2 || counts.size() != labels.count || Dim(static_cast<int64_t>(owners.size())) != vectors.dim(0) ||
      coefficients.size() != owners.size() * (labels.count - 1) ||
      rho.size() != labels.count * (labels.count - 1) / 2 || a.size() != b.size() ||
      (!a.empty() && a.size() != rho.size())) {
    node.malformed(
        "the lists", "of other lengths",
        "two classes or more, vectors for each, coefficients for each vector and all classes but one, rho and "
        "probabilities for each pair of classes");
  }
  if (rho.size() > kMostWeights / std::max(owners.size(), labels.count)) {
    throw Unsupported(fmt::format("{} classes with {} vectors are too many", classes, owners.size()));
  }
  const std::vector<Pair> pairs = pairs_of(classes);
  const auto count = static_cast<int64_t>(pairs.size());
  const Var scores =
      graph.matmul(kernel_of(x, vectors, kernel, parameters), pair_weights(node, owners, pairs, x.dtype())) +
      constant_reals(node, rho, {count}, x.dtype());
  set_labels(node, elected(node, scores, pairs, classes), labels);
  Var result = scores;
  if (!a.empty()) {
    result = transformed(coupled(node, pair_probabilities(node, scores, a, b), pairs, classes), transform);
  } else if (classes ==
             2) {  // as ONNX Runtime does it: softmax does not apply to one score, but makes its opposite 1 - it
    const bool opposite = transform == PostTransform::none || transform == PostTransform::logistic;
    const Var both = graph.concatenate({opposite ? -scores : 1.0 - scores, scores}, {.axis = 1});
    result = opposite ? transformed(both, transform) : both;
  } else {
    result = transformed(scores, transform);
  }
  node.set(1, as_dtype(result, DType::f32));
}

constexpr Handler rows[] = {
    {"LinearClassifier", 1, linear_classifier, kMl},
    {"LinearRegressor", 1, linear_regressor, kMl},
    {"SVMClassifier", 1, svm_classifier, kMl},
    {"SVMRegressor", 1, svm_regressor, kMl},
};

}  // namespace

std::span<const Handler> ml_linear_handlers() { return rows; }

}  // namespace ingot::onnx
