// Matrix products.
#include <fmt/format.h>

#include <map>

#include "import/onnx/handlers.h"
#include "import/onnx/linear_quant.h"
#include "import/onnx/product.h"
#include "import/onnx/sizes.h"
#include "program/decompose.h"
#include "program/einsum.h"

namespace ingot::onnx {
namespace {

void matmul(Node& node, GraphBuilder&) { node.set(0, product(node, node.input(0), node.input(1))); }

void gemm_handler(Node& node, GraphBuilder&) {
  if (node.version() < 7) node.ignore("broadcast", "without it the shapes are equal");
  node.set(0, gemm(node));
}

// --------------------------------------------------------------------------------------------------------- integers

void matmul_integer(Node& node, GraphBuilder&) {
  node.set(0, integer_product(node, node.input(0), node.input(1), node.optional_input(2), node.optional_input(3)));
}

// Codes of 8-bit floats are multiplied as the numbers that they stand for.
void qlinear_matmul(Node& node, GraphBuilder&) {
  const Quantized a = quantized_input(node, 0, 1, 2), b = quantized_input(node, 3, 4, 5);
  const Var output_scale = as_dtype(of_columns(node.input(6)), DType::f32), zero = of_columns(node.input(7));
  const Var scale_a = as_dtype(of_rows(a.scale), DType::f32), scale_b = as_dtype(of_columns(b.scale), DType::f32);
  if (is_integer(a.codes.dtype()) && is_integer(b.codes.dtype())) {
    const Var sums = integer_product(node, a.codes, b.codes, a.zero, b.zero);
    return node.set(0, requantized(sums, scale_a * scale_b, output_scale, zero, zero.dtype()));
  }
  const Var x = dequantized(a.codes, scale_a, of_rows(*a.zero));
  const Var y = dequantized(b.codes, scale_b, of_columns(*b.zero));
  node.set(0, quantized(product(node, x, y), output_scale, zero, zero.dtype()));
}

// ----------------------------------------------------------------------------------------------------------- einsum

// Without an arrow the result has the axes of `...`, then every letter that occurs once, in order.
std::string with_result(std::string equation) {
  std::erase(equation, ' ');
  if (equation.find("->") != equation.npos) return equation;
  std::map<char, int> letters;
  for (const char c : equation) {
    if (c != ',' && c != '.') ++letters[c];
  }
  const bool open = equation.find("...") != equation.npos;
  equation += open ? "->..." : "->";
  for (const auto& [letter, count] : letters) {
    if (count == 1) equation += letter;
  }
  return equation;
}

// The operands, of which axes of one letter have one size; where that is open, by promise.
std::vector<Var> with_one_size(std::vector<Var> operands, const std::string& equation) {
  std::vector<Shape> shapes;
  std::vector<size_t> ranks;
  for (const Var& operand : operands) {
    shapes.push_back(operand.shape());
    ranks.push_back(shapes.back().size());
  }
  const Equation labels = parse_equation(equation, ranks);
  const std::map<Label, Dim> sizes = label_sizes<Dim>(labels, shapes);
  for (size_t i = 0; i < operands.size(); ++i) {
    for (size_t axis = 0; axis < ranks[i]; ++axis) {
      const Label label = labels.operands[i][axis];
      if (label >= 0 || shapes[i][axis] != Dim(1)) shapes[i][axis] = sizes.at(label);
    }
    operands[i] = ensure(operands[i], shapes[i]);
  }
  return operands;
}

void einsum(Node& node, GraphBuilder& graph) {
  const std::string equation = with_result(node.text("equation"));
  node.set(0, graph.einsum(with_one_size(node.inputs(), equation), equation));
}

constexpr Handler rows[] = {
    {"Einsum", 12, einsum},
    {"Gemm", 6, gemm_handler},
    {"MatMul", 1, matmul},
    {"MatMulInteger", 10, matmul_integer},
    {"QLinearMatMul", 10, qlinear_matmul},
};

}  // namespace

std::span<const Handler> matmul_handlers() { return rows; }

}  // namespace ingot::onnx
