// What the ops of the domain ai.onnx.ml share: lists of attributes as tensors, and transforms of scores.
//
// Threads    none involved. Failure  Code::bad_file for lists of a wrong length; Unsupported for labels that are text.
#pragma once

#include <string_view>
#include <vector>

#include "import/onnx/node.h"

namespace ingot::onnx {

inline constexpr std::string_view kMl = "ai.onnx.ml";

// Numbers as a value of the graph, f32 unless it says otherwise.
Var constant_reals(Node& node, const std::vector<double>& numbers, Sizes sizes, DType dtype = DType::f32);
Var constant_integers(Node& node, const std::vector<int64_t>& numbers);

// An attribute that is there.
std::vector<double> required_reals(Node& node, std::string_view name);
// The rows of x, [N, F], in a dtype to compute in: f32, or f64 as it is.
Var features(Node& node, size_t i = 0);

enum class PostTransform { none, softmax, logistic, softmax_zero };
PostTransform post_transform(Node& node);
// scores [N, E]
Var transformed(Var scores, PostTransform transform);

// Labels of classes: integers, or text, which only matters when somebody reads it.
struct Labels {
  std::vector<int64_t> integers;
  size_t count = 0;
};
Labels labels_of(Node& node, std::string_view integers, std::string_view texts);
// Output 0: the label of each class that was chosen. Nothing where the labels are text.
void set_labels(Node& node, Var classes, const Labels& labels);

}  // namespace ingot::onnx
