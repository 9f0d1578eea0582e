// Draw: random parts of programs from a seed. The same seed gives the same parts with every compiler.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "program/infer.h"
#include "program/program.h"

namespace ingot::test {

class Draw {
 public:
  explicit Draw(uint64_t seed) : engine_(seed) {}

  uint64_t below(uint64_t n) { return engine_() % n; }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(below(static_cast<uint64_t>(high - low + 1)));
  }
  bool chance(uint64_t percent) { return below(100) < percent; }
  template <class Range>
  const auto& pick(const Range& range) {
    return std::data(range)[below(std::size(range))];
  }
  template <SchemaEnum E>
  E value_of() {
    return static_cast<E>(below(EnumNames<E>::names.size()));
  }

  // A name that was not given out before. One in three needs quotes.
  std::string name(std::string_view hint);
  // Any text, of any bytes.
  std::string words();

  DType dtype(Kinds kinds = kinds::computable);
  DType any_dtype();  // all but packed
  QuantScheme scheme(QuantMethod method);
  QuantScheme scheme();  // of a method that takes a last axis of any size
  // A number that the dtype holds.
  Scalar scalar(DType dtype);
  double real();  // finite
  Tensor tensor(const TensorType& type);
  // Any scheme; where it has blocks, of another last axis, and of literal sizes alone where quantize makes none.
  // Precondition: rank 1 or more.
  TensorType packed(Shape shape);
  // Any dtype, packed among them.
  TensorType type(const std::vector<Symbol>& symbols);

  // Sizes over `symbols`, small where the symbols are. Never negative.
  Dim dim(const std::vector<Symbol>& symbols);
  Shape shape(const std::vector<Symbol>& symbols, size_t least_rank = 0, size_t most_rank = 3);
  // The axis of a rank, counted from either end.
  int64_t axis(size_t rank);
  std::vector<int64_t> permutation(size_t rank);
  // Some axes of a rank, each at most once, in any order.
  std::vector<int64_t> axes(size_t rank);
  // A shape that stretches to `shape`.
  Shape narrowed(const Shape& shape);

 private:
  std::mt19937_64 engine_;
  std::unordered_set<std::string> names_;
};

}  // namespace ingot::test
