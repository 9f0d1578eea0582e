// ai.onnx.ml: features, and maps from values to values.
#include "import/onnx/ml.h"

#include <fmt/format.h>

#include <cmath>

#include "import/onnx/handlers.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"

namespace ingot::onnx {
namespace {

// A list that has one number for all columns or one for each.
Var per_column(Node& node, const std::vector<double>& numbers, Var x, DType dtype) {
  if (numbers.size() == 1) return node.graph().scalar(numbers[0], dtype);
  const Dim columns = x.dim(-1);
  const auto count = static_cast<int64_t>(numbers.size());
  return ensure(constant_reals(node, numbers, {count}, dtype), {columns});
}

// ---------------------------------------------------------------------------------------------------------- features

void array_feature_extractor(Node& node, GraphBuilder& graph) {
  Var x = node.input(0);
  const Var indices = node.input(1);
  if (x.type().rank() == 1) x = unsqueeze(x, {0});
  const Var flat = reshape(indices, {element_count(indices.shape())});
  node.set(0, graph.take(x, flat, {.axis = x.type().rank() - 1}));
}

void binarizer(Node& node, GraphBuilder& graph) {
  const double threshold = node.real("threshold", 0.0);
  const Var x = node.input(0);
  node.set(0, as_dtype(graph.gt(as_dtype(x, DType::f64), graph.scalar(threshold, DType::f64)), x.dtype()));
}

void feature_vectorizer(Node& node, GraphBuilder& graph) {
  const auto sizes = node.integers("inputdimensions");
  std::vector<Var> parts;
  for (size_t i = 0; i < node.input_count(); ++i) {
    parts.push_back(as_dtype(features(node, i), DType::f32));
    const Dim size = parts.back().dim(1);
    if (sizes && (i >= sizes->size() || equal(Dim((*sizes)[i]), size) == Proof::no)) {
      node.malformed("inputdimensions", "another list", "the columns of the inputs");
    }
    parts.back() = ensure_size(parts.back(), 0, parts.front().dim(0));
  }
  node.set(0, graph.concatenate(parts, {.axis = 1}));
}

void imputer(Node& node, GraphBuilder& graph) {
  const Var x = node.input(0);
  if (is_real(x.dtype())) {
    const double replaced = node.real("replaced_value_float", 0.0);
    const Var value = per_column(node, required_reals(node, "imputed_value_floats"), x, x.dtype());
    const Var missing = std::isnan(replaced) ? graph.isnan(x) : graph.eq(x, graph.scalar(replaced, x.dtype()));
    return node.set(0, graph.select(missing, value, x));
  }
  const int64_t replaced = node.integer("replaced_value_int64", 0);
  const auto values = node.integers("imputed_value_int64s");
  if (!values || x.dtype() != DType::i64) node.malformed("imputed_value_int64s", "missing", "ints for i64");
  Var value = constant_integers(node, *values);
  value = values->size() == 1 ? reshape(value, {}) : ensure(value, {x.dim(-1)});
  node.set(0, graph.select(graph.eq(x, graph.scalar(replaced, DType::i64)), value, x));
}

void normalizer(Node& node, GraphBuilder& graph) {
  enum class Norm { max, l1, l2 };
  const Norm norm = node.choice<Norm>("norm", "MAX", {{"MAX", Norm::max}, {"L1", Norm::l1}, {"L2", Norm::l2}});
  const TensorType type = node.type(0);
  const Var x = features(node);
  Var divisor = graph.reduce_sum(norm == Norm::l1 ? graph.abs(x) : graph.square(x), {1}, {.keepdims = true});
  if (norm == Norm::l2) divisor = graph.sqrt(divisor);
  if (norm == Norm::max) divisor = graph.reduce_max(x, {1}, {.keepdims = true});
  const Var one = graph.scalar(1.0, x.dtype());
  const Var y = x / graph.select(graph.eq(divisor, graph.scalar(0.0, x.dtype())), one, divisor);
  node.set(0, as_dtype(reshape(y, type.shape), DType::f32));
}

void scaler(Node& node, GraphBuilder&) {
  const std::vector<double> offset = required_reals(node, "offset"), scale = required_reals(node, "scale");
  const Var x = as_dtype(node.input(0), node.type(0).dtype == DType::f64 ? DType::f64 : DType::f32);
  const Var y = (x - per_column(node, offset, x, x.dtype())) * per_column(node, scale, x, x.dtype());
  node.set(0, as_dtype(y, DType::f32));
}

// An axis behind the others that says which of the categories an element is.
void one_hot_encoder(Node& node, GraphBuilder& graph) {
  const bool zeros = node.flag("zeros", true);
  const auto categories = node.integers("cats_int64s");
  if (!categories) throw Unsupported("the categories are text");
  const Var x = node.input(0);
  const Var each = unsqueeze(as_dtype(x, DType::i64), {x.type().rank()});
  const Var same = graph.eq(each, constant_integers(node, *categories));
  if (zeros) return node.set(0, as_dtype(same, DType::f32));
  // One that is none of them is the row behind the last, which `take` refuses.
  const Dim count = same.dim(-1);
  const Var which = graph.argmax(as_dtype(same, DType::u8), {.axis = x.type().rank()});
  const Var known = graph.reduce_any(same, {x.type().rank()});
  node.set(0, graph.take(graph.eye(count, count), graph.select(known, which, graph.size_of(count))));
}

// ------------------------------------------------------------------------------------------------------------- maps

struct Side {
  Tensor list;
  std::optional<Scalar> standard;
};

// keys_… or values_… of one kind.
Side side_of(Node& node, const std::string& name) {
  if (const auto tensor = node.tensor(name + "_tensor")) return {*tensor, {}};
  if (const auto list = node.integers(name + "_int64s")) {
    return {Tensor::of<int64_t>({static_cast<int64_t>(list->size())}, *list),
            Scalar(node.integer("default_int64", -1))};
  }
  if (const auto list = node.reals(name + "_floats")) {
    return {Tensor::of<float>({static_cast<int64_t>(list->size())}, std::vector<float>(list->begin(), list->end())),
            Scalar(node.real("default_float", -0.0))};
  }
  throw Unsupported(fmt::format("the {} are text", name));
}

// The value of the last key that an element equals; from version 4 on NaN equals NaN.
void label_encoder(Node& node, GraphBuilder& graph) {
  const Side keys = side_of(node, "keys"), values = side_of(node, "values");
  for (const std::string_view name : {"default_int64", "default_float", "default_string"}) {
    node.ignore(name, "the default of another dtype");
  }
  if (keys.list.elements() != values.list.elements() || keys.list.elements() == 0) {
    node.malformed("values", fmt::format("{}", values.list.elements()), fmt::format("{} > 0", keys.list.elements()));
  }
  std::optional<Scalar> standard = values.standard;
  if (const auto given = node.tensor("default_tensor"); given && given->elements() == 1) standard = scalar_of(*given);
  const DType dtype = values.list.dtype();
  if (!standard) standard = is_real(dtype) ? Scalar(-0.0) : Scalar(-1);
  const Var x = unsqueeze(node.input(0), {node.rank(0)}), key = node.as_var(keys.list);
  Var same = graph.eq(x, key);
  if (is_real(key.dtype()) && node.version() >= 4)
    same = graph.logical_or(same, graph.logical_and(graph.isnan(x), graph.isnan(key)));
  const int64_t axis = same.type().rank() - 1;
  const Var found = graph.reduce_any(same, {axis});
  const Var which = graph.argmax(as_dtype(same, DType::u8), {.axis = axis, .last = true});
  node.set(0, graph.select(found, graph.take(node.as_var(values.list), which), graph.scalar(*standard, dtype)));
}

constexpr Handler rows[] = {
    {"ArrayFeatureExtractor", 1, array_feature_extractor, kMl},
    {"Binarizer", 1, binarizer, kMl},
    {"FeatureVectorizer", 1, feature_vectorizer, kMl},
    {"Imputer", 1, imputer, kMl},
    {"LabelEncoder", 2, label_encoder, kMl},
    {"Normalizer", 1, normalizer, kMl},
    {"OneHotEncoder", 1, one_hot_encoder, kMl},
    {"Scaler", 1, scaler, kMl},
};

}  // namespace

std::span<const Handler> ml_handlers() { return rows; }

}  // namespace ingot::onnx
