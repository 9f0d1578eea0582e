// Value: what a name of an ONNX graph stands for while it is imported.
//
// Most names are results of nodes. Constants stay outside the program until something reads them as data, so that those
// which only say a shape never enter it; and integers that were computed from sizes stay expressions, so that a Reshape
// to what Shape, Gather and Concat put together has a type.
//
// Ownership  values; tensors share their bytes, often with the mapped file.
// Threads    none involved. Failure  none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "program/builder.h"

namespace ingot::onnx {

// An optional input that was left out, or an empty optional.
struct Absent {};
// The output of a node that could not be imported. Nodes that use it are passed over in silence.
struct Poison {};

struct Constant {
  Tensor tensor;
  std::string name;  // as the file has it; empty for what the importer worked out
};

// Integers (or bools) that are known as expressions over symbols, row-major. At least one is no literal.
struct Symbolic {
  DType dtype = DType::i64;
  Sizes sizes;
  std::vector<Dim> elements;
};

// A tensor of a dtype that Ingot has not, as its bits: u8.
struct Coded {
  Var bits;
  int32_t data_type;  // of onnx.proto
};

class Value;
// An ONNX sequence: its length is known now, and it is taken apart by the importer.
struct Sequence {
  std::shared_ptr<const std::vector<Value>> items;
};

class Value {
 public:
  Value() = default;                                              // absent
  Value(Var var) : is_(var) {}                                    // NOLINT(google-explicit-constructor): it is one
  Value(Constant constant) : is_(std::move(constant)) {}          // NOLINT(google-explicit-constructor): it is one
  Value(Tensor tensor) : is_(Constant{std::move(tensor), {}}) {}  // NOLINT(google-explicit-constructor): a constant
  Value(Coded coded) : is_(coded) {}                              // NOLINT(google-explicit-constructor): it is one
  Value(Poison poison) : is_(poison) {}                           // NOLINT(google-explicit-constructor): it is one
  // A constant when every element is a literal.
  Value(Symbolic known);  // NOLINT(google-explicit-constructor): it is one
  static Value sequence(std::vector<Value> items) {
    Value value;
    value.is_ = Sequence{std::make_shared<const std::vector<Value>>(std::move(items))};
    return value;
  }

  bool is_absent() const { return std::holds_alternative<Absent>(is_); }
  bool is_poison() const { return std::holds_alternative<Poison>(is_); }
  const Var* var() const { return std::get_if<Var>(&is_); }
  const Constant* constant() const { return std::get_if<Constant>(&is_); }
  const Symbolic* symbolic() const {
    const auto* shared = std::get_if<std::shared_ptr<const Symbolic>>(&is_);
    return shared ? shared->get() : nullptr;
  }
  const Coded* coded() const { return std::get_if<Coded>(&is_); }
  const std::vector<Value>* sequence() const {
    const auto* list = std::get_if<Sequence>(&is_);
    return list ? list->items.get() : nullptr;
  }

 private:
  // Lists of expressions are shared: nodes copy their inputs.
  std::variant<Absent, Poison, Var, Constant, std::shared_ptr<const Symbolic>, Coded, Sequence> is_;
};

// Constants of at most this many elements take part in the arithmetic of sizes.
inline constexpr int64_t kMaxKnown = 4096;

// Integers and bools as expressions: of a constant that is not large, or of a Symbolic. None for everything else.
std::optional<Symbolic> known(const Value& value);
std::optional<Symbolic> known(const Tensor& tensor);

// The type, without making a value of the program; none where the value has no tensor type.
std::optional<TensorType> type_of(const Value& value);

// The elements of an integer or bool tensor. Precondition: of such a dtype.
std::vector<int64_t> integers_of(const Tensor& tensor);
// The elements of a real, integer or bool tensor. Precondition: not complex, not packed.
std::vector<double> reals_of(const Tensor& tensor);
// One element, exactly. Precondition: not packed.
Scalar scalar_of(const Tensor& tensor, int64_t index = 0);
// Precondition: the numbers fit the dtype, which is integer or bool.
Tensor tensor_of(DType dtype, Sizes sizes, const std::vector<int64_t>& elements);

}  // namespace ingot::onnx
