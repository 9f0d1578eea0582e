// Matrix products. Reals and complex numbers in double, in the order of k, one rounding at the store; integers wrap.
#include <fmt/format.h>

#include <map>
#include <numeric>

#include "engines/reference/kernel.h"
#include "engines/reference/numbers.h"
#include "engines/reference/packing.h"
#include "engines/reference/walk.h"
#include "program/einsum.h"
#include "program/error.h"

namespace ingot::reference {
namespace {

// From one element of a stack of matrices to the next.
struct MatrixStrides {
  int64_t row, column;
};

MatrixStrides matrix_strides(const Sizes& sizes, bool transposed) {
  const int64_t columns = sizes.end()[-1];
  return transposed ? MatrixStrides{1, columns} : MatrixStrides{columns, 1};
}

// Strides over x for a walk over y, whose last two axes move by `m` and `n`.
Sizes strides_over(const Sizes& x, const Sizes& y, int64_t m, int64_t n) {
  Sizes strides = broadcast_strides({x.begin(), x.end() - 2}, {y.begin(), y.end() - 2});
  for (int64_t& stride : strides) stride *= x.end()[-2] * x.end()[-1];
  strides.insert(strides.end(), {m, n});
  return strides;
}

// A factor of a sum of products, with strides over it for the axes of the result and for those that are summed.
template <class T>
struct Factor {
  View<T> x;
  Sizes kept, summed;
};

// The offset of element i of a box.
int64_t offset_of(int64_t i, const Sizes& box, const Sizes& strides) {
  int64_t offset = 0;
  for (size_t axis = box.size(); axis-- > 0; i /= box[axis]) offset += i % box[axis] * strides[axis];
  return offset;
}

// y[i] = Σ over j of the product of the factors at i and j
template <class T>
void sum_products(Frame& frame, const Out<T>& y, const Sizes& summed, const std::vector<Factor<T>>& factors) {
  if (y.size() == 0) return;
  const int64_t terms = element_count(summed), count = static_cast<int64_t>(factors.size());
  frame.spend(y.size(), element_count(Sizes{terms, count}));
  Scratch<int64_t> first = frame.scratch<int64_t>(count);
  for (int64_t i = 0, n = y.size(); i < n; ++i) {
    for (size_t k = 0; k < factors.size(); ++k) first[k] = offset_of(i, y.sizes(), factors[k].kept);
    T sum = 0;
    for (int64_t j = 0; j < terms; ++j) {
      T product = factors[0].x[first[0] + offset_of(j, summed, factors[0].summed)];
      for (size_t k = 1; k < factors.size(); ++k) {
        product = multiply(product, factors[k].x[first[k] + offset_of(j, summed, factors[k].summed)]);
      }
      sum = summed.empty() ? product : add(sum, product);  // a product alone may be -0
    }
    y.store(i, sum);
  }
}

// How far each label moves in x: axes of one label move together, one of size 1 stays.
std::map<Label, int64_t> label_strides(const Sizes& x, const Labels& labels) {
  const Sizes strides = strides_of(x);
  std::map<Label, int64_t> by_label;
  for (size_t axis = 0; axis < x.size(); ++axis) by_label[labels[axis]] += x[axis] == 1 ? 0 : strides[axis];
  return by_label;
}

void sum_products(Frame& frame, const Equation& equation, const std::vector<Ref>& operands) {
  std::vector<Sizes> shapes;
  for (Ref ref : operands) shapes.push_back(frame.sizes(ref));
  const std::map<Label, int64_t> sizes = label_sizes<int64_t>(equation, shapes);
  const Labels labels = equation.summed();
  Sizes summed;
  for (Label label : labels) summed.push_back(sizes.at(label));
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      std::vector<Factor<T>> factors;
      for (size_t i = 0; i < operands.size(); ++i) {
        std::map<Label, int64_t> strides = label_strides(shapes[i], equation.operands[i]);
        Factor<T> factor{frame.in<T>(operands[i], dtype), {}, {}};
        for (Label label : equation.result) factor.kept.push_back(strides[label]);
        for (Label label : labels) factor.summed.push_back(strides[label]);
        factors.push_back(std::move(factor));
      }
      sum_products(frame, frame.out<T>(), summed, factors);
    }
  });
}

// The product over paired axes with a label for each axis: those of a are numbers from 0 on, and so are those of b that
// have no partner in a.
Equation equation_of(const op::DotGeneral& op, size_t rank_a, size_t rank_b) {
  Labels a(rank_a), b(rank_b), result;
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), static_cast<Label>(rank_a));
  std::vector<bool> paired(rank_a + rank_b);
  const auto pair = [&](int64_t of_a, int64_t of_b) {
    const auto in_a = static_cast<size_t>(from_front(of_a, rank_a)),
               in_b = static_cast<size_t>(from_front(of_b, rank_b));
    paired[in_a] = paired[rank_a + in_b] = true;
    return b[in_b] = a[in_a];
  };
  for (size_t i = 0; i < op.batch_a.size(); ++i) result.push_back(pair(op.batch_a[i], op.batch_b[i]));
  for (size_t i = 0; i < op.contract_a.size(); ++i) pair(op.contract_a[i], op.contract_b[i]);
  for (size_t label = 0; label < paired.size(); ++label) {
    if (!paired[label]) result.push_back(static_cast<Label>(label));
  }
  return {{a, b}, result};
}

// y[m, n] = Σ x[m, k]·w(group[m], k, n)
template <class T, class W>
void multiply_groups(Frame& frame, const View<T>& x, const View<int64_t>& group, int64_t groups, W&& w) {
  const Out<T> y = frame.out<T>();
  const int64_t rows = x.sizes()[0], count = x.sizes()[1], columns = y.sizes()[1];
  frame.spend(rows);
  frame.spend(y.size(), count);
  for (int64_t m = 0; m < rows; ++m) {
    const int64_t g = group[m];
    if (g < 0 || g >= groups) {
      throw Error(Code::out_of_range, fmt::format("group {} of row {} is outside {} groups", g, m, groups));
    }
    for (int64_t n = 0; n < columns; ++n) {
      T sum = 0;
      for (int64_t k = 0; k < count; ++k) sum = add(sum, multiply(x[m * count + k], w(g, k, n)));
      y.store(m * columns + n, sum);
    }
  }
}

}  // namespace

// y[m, n] = Σ a[m, k]·b[k, n]
static void kernel(const op::Matmul& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> a = frame.in<T>(op.a, dtype), b = frame.in<T>(op.b, dtype);
      const Out<T> y = frame.out<T>();
      const int64_t count = a.sizes().end()[op.transpose_a ? -2 : -1];
      frame.spend(y.size(), count);
      const MatrixStrides of_a = matrix_strides(a.sizes(), op.transpose_a);
      const MatrixStrides of_b = matrix_strides(b.sizes(), op.transpose_b);
      const auto element = [&](int64_t i, int64_t in_a, int64_t in_b) {
        T sum = 0;
        for (int64_t k = 0; k < count; ++k) {
          sum = add(sum, multiply(a[in_a + k * of_a.column], b[in_b + k * of_b.row]));
        }
        y.store(i, sum);
      };
      walk(y.sizes(), element, strides_over(a.sizes(), y.sizes(), of_a.row, 0),
           strides_over(b.sizes(), y.sizes(), 0, of_b.column));
    }
  });
}

// y[b…, i…, j…] = Σ a[b, i, k]·b[b, j, k] over k…, each kind of axis in the order of its list
static void kernel(const op::DotGeneral& op, Frame& frame) {
  sum_products(frame, equation_of(op, frame.sizes(op.a).size(), frame.sizes(op.b).size()), {op.a, op.b});
}

// y[result labels] = Σ over the other labels of the product of the operands
static void kernel(const op::Einsum& op, Frame& frame) {
  frame.spend(std::ssize(op.equation));
  std::vector<size_t> ranks;
  for (Ref ref : op.operands) ranks.push_back(frame.sizes(ref).size());
  sum_products(frame, parse_equation(op.equation, ranks), op.operands);
}

// y[m, n] = Σ x[m, k]·w[group[m], k, n]
static void kernel(const op::GroupedMatmul& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const View<int64_t> group = frame.indices(op.group);
  const Tensor& w = frame.tensor(op.w);
  const Sizes& sizes = w.sizes();
  if (w.dtype() == DType::packed) {
    const Packing packing(*w.scheme(), sizes);
    const auto value = [&](int64_t g, int64_t k, int64_t n) { return packing.value(w.bytes(), g * sizes[1] + n, k); };
    return multiply_groups(frame, frame.in(op.x), group, sizes[0], value);
  }
  with_domain(dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, bool>) {
      const View<T> weights = frame.in<T>(op.w, dtype);
      const MatrixStrides strides = matrix_strides(sizes, op.transpose_w);
      multiply_groups(frame, frame.in<T>(op.x, dtype), group, sizes[0], [&](int64_t g, int64_t k, int64_t n) {
        return weights[g * sizes[1] * sizes[2] + k * strides.row + n * strides.column];
      });
    }
  });
}

// y[m, n] = Σ (a[m, k] - a_zero[m])·(b[k, n] - b_zero[n]) in i32
static void kernel(const op::IntegerMatmul& op, Frame& frame) {
  const View<int64_t> a = frame.indices(op.a), b = frame.indices(op.b);
  const View<int64_t> a_zero = op.a_zero ? frame.indices(*op.a_zero) : View<int64_t>(0);
  const View<int64_t> b_zero = op.b_zero ? frame.indices(*op.b_zero) : View<int64_t>(0);
  const Out<int64_t> y = frame.out<int64_t>();
  const int64_t count = a.sizes().end()[-1], columns = b.sizes().end()[-1];
  frame.spend(y.size(), count);
  Sizes of_rows = op.a_zero ? a_zero.sizes() : Sizes(), of_columns = op.b_zero ? b_zero.sizes() : Sizes();
  if (of_rows.size() == 1) of_rows.push_back(1);
  const auto element = [&](int64_t i, int64_t in_a, int64_t in_b, int64_t row, int64_t column) {
    int64_t sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += (a[in_a + k] - a_zero[row]) * (b[in_b + k * columns] - b_zero[column]);
    y.store(i, sum);
  };
  walk(y.sizes(), element, strides_over(a.sizes(), y.sizes(), count, 0), strides_over(b.sizes(), y.sizes(), 0, 1),
       broadcast_strides(of_rows, y.sizes()), broadcast_strides(of_columns, y.sizes()));
}

// y = x·w + scale·(x·a)·b
static void kernel(const op::LoraLinear& op, Frame& frame) {
  const DType dtype = frame.result_dtype();
  const View<double> x = frame.in<double>(op.x, dtype), w = frame.in<double>(op.w, dtype);
  const View<double> a = frame.in(op.a), b = frame.in(op.b);
  const Out<double> y = frame.out();
  if (y.size() == 0) return;
  const int64_t inputs = w.sizes()[0], outputs = w.sizes()[1], rank = a.sizes()[1], rows = y.size() / outputs;
  frame.spend(rows, element_count(Sizes{inputs + rank, outputs}));
  frame.spend(rows, element_count(Sizes{inputs, rank}));
  Scratch<double> low = frame.scratch<double>(rank);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t r = 0; r < rank; ++r) {
      double& sum = low[static_cast<size_t>(r)] = 0;
      for (int64_t k = 0; k < inputs; ++k) sum += x[row * inputs + k] * a[k * rank + r];
    }
    for (int64_t n = 0; n < outputs; ++n) {
      double sum = 0, adapted = 0;
      for (int64_t k = 0; k < inputs; ++k) sum += x[row * inputs + k] * w[k * outputs + n];
      for (int64_t r = 0; r < rank; ++r) adapted += low[static_cast<size_t>(r)] * b[r * outputs + n];
      y.store(row * outputs + n, sum + op.scale * adapted);
    }
  }
}

INGOT_KERNELS(matmul)

}  // namespace ingot::reference
