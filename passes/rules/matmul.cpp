// Rules about products of matrices.
#include <array>

#include "passes/rules/rules.h"
#include "program/einsum.h"

namespace ingot {
namespace {

std::optional<Var> matmul_of_transpose(const op::Matmul& op, const Site& site) {
  const auto swapped = [&](Ref ref) -> const op::Transpose* {
    const auto* transpose = site.made_by<op::Transpose>(ref);
    return transpose && swaps_last_two(*transpose) ? transpose : nullptr;
  };
  const auto *a = swapped(op.a), *b = swapped(op.b);
  if (!a && !b) return {};
  return site.to().matmul(
      site(a ? a->x : op.a), site(b ? b->x : op.b),
      {.transpose_a = op.transpose_a != (a != nullptr), .transpose_b = op.transpose_b != (b != nullptr)});
}

// ------------------------------------------------------------------------------------------------------------- einsum

bool has(const Labels& labels, Label label) { return std::ranges::find(labels, label) != labels.end(); }

int64_t axis_of(Label label, const Labels& labels) { return std::ranges::find(labels, label) - labels.begin(); }

// An einsum of two operands that sums over one label of both, where each has one more label for itself.
struct MatrixProduct {
  Labels batch;
  Label summed;
  std::array<Label, 2> free;  // of each operand
};
std::optional<MatrixProduct> matrix_product(const Equation& equation) {
  const Labels summed = equation.summed();
  if (equation.operands.size() != 2 || summed.size() != 1) return {};
  const Labels &a = equation.operands[0], &b = equation.operands[1];
  MatrixProduct product{{}, summed[0], {}};
  std::array<size_t, 2> count{};
  for (const Label label : equation.result) {
    if (has(a, label) && has(b, label)) {
      product.batch.push_back(label);
    } else {
      const size_t i = has(a, label) ? 0 : 1;
      product.free[i] = label;
      ++count[i];
    }
  }
  const size_t rank = product.batch.size() + 2;
  const bool once = count[0] == 1 && count[1] == 1 && a.size() == rank && b.size() == rank;
  return once && has(a, summed[0]) && has(b, summed[0]) ? std::optional(product) : std::nullopt;
}

// x with its axes in another order of their labels.
Var ordered(Var x, const Labels& from, const Labels& to) {
  std::vector<int64_t> perm;
  for (const Label label : to) perm.push_back(axis_of(label, from));
  return std::ranges::is_sorted(perm) ? x : x.graph().transpose(x, perm);
}

std::optional<Var> einsum_as_matmul(const op::Einsum& op, const Site& site) {
  std::vector<size_t> ranks;
  for (const Ref ref : op.operands) ranks.push_back(site.shape(ref).size());
  const Equation equation = parse_equation(op.equation, ranks);
  const auto product = matrix_product(equation);
  if (!product) return {};
  // The operand whose own label comes first in the result has the rows.
  const auto [a, b] = product->free;
  const size_t left = axis_of(a, equation.result) < axis_of(b, equation.result) ? 0 : 1, right = 1 - left;
  const auto sums_first = [&](size_t i) {
    return axis_of(product->summed, equation.operands[i]) < axis_of(product->free[i], equation.operands[i]);
  };
  const auto matrices = [&](size_t i) {
    Labels labels = product->batch;
    labels.insert(labels.end(), {product->summed, product->free[i]});
    if (!sums_first(i)) std::swap(labels.end()[-1], labels.end()[-2]);
    return ordered(site(op.operands[i]), equation.operands[i], labels);
  };
  Labels labels = product->batch;
  labels.insert(labels.end(), {product->free[left], product->free[right]});
  const Var x = matrices(left), z = matrices(right);
  const Var y = site.to().matmul(x, z, {.transpose_a = sums_first(left), .transpose_b = !sums_first(right)});
  return ordered(y, labels, equation.result);
}

const Rule rules[] = {
    rule<matmul_of_transpose>("matmul_of_transpose", "matmul(transpose(a), b) → matmul(a, b) with transpose_a"),
    rule<einsum_as_matmul>("einsum_as_matmul", "einsum of two operands that multiplies matrices → matmul"),
};

}  // namespace

std::span<const Rule> matmul_rules() { return rules; }

}  // namespace ingot
