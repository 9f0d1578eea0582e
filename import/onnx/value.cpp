#include "import/onnx/value.h"

#include <algorithm>

#include "engines/reference/elements.h"

namespace ingot::onnx {
namespace {

bool holds_integers(DType dtype) { return is_integer(dtype) || dtype == DType::bool_; }

template <class T, class To>
std::vector<To> elements_as(const Tensor& tensor) {
  const reference::View<T> view = reference::view<T>(tensor);
  std::vector<To> elements;
  elements.reserve(static_cast<size_t>(view.size()));
  for (int64_t i = 0; i < view.size(); ++i) elements.push_back(static_cast<To>(view[i]));
  return elements;
}

template <class To>
std::vector<To> numbers_of(const Tensor& tensor) {
  std::vector<To> elements;
  reference::with_domain(tensor.dtype(), [&]<class T>() {
    if constexpr (!std::is_same_v<T, reference::Complex>) elements = elements_as<T, To>(tensor);
  });
  return elements;
}

}  // namespace

Value::Value(Symbolic known) {
  const bool literal = std::ranges::all_of(known.elements, [](const Dim& dim) { return dim.is_literal(); });
  if (!literal) {
    is_ = std::make_shared<const Symbolic>(std::move(known));
    return;
  }
  std::vector<int64_t> numbers;
  numbers.reserve(known.elements.size());
  for (const Dim& dim : known.elements) numbers.push_back(dim.literal());
  is_ = Constant{tensor_of(known.dtype, std::move(known.sizes), numbers), {}};
}

std::optional<Symbolic> known(const Tensor& tensor) {
  if (!holds_integers(tensor.dtype()) || tensor.elements() > kMaxKnown) return std::nullopt;
  Symbolic result{tensor.dtype(), tensor.sizes(), {}};
  for (const int64_t x : integers_of(tensor)) result.elements.emplace_back(x);
  return result;
}

std::optional<Symbolic> known(const Value& value) {
  if (const Symbolic* symbolic = value.symbolic()) return *symbolic;
  return value.constant() ? known(value.constant()->tensor) : std::nullopt;
}

std::optional<TensorType> type_of(const Value& value) {
  if (const Var* var = value.var()) return var->type();
  if (const Constant* constant = value.constant()) return constant->tensor.type();
  if (const Symbolic* symbolic = value.symbolic()) {
    return TensorType{symbolic->dtype, Shape(symbolic->sizes.begin(), symbolic->sizes.end()), {}};
  }
  return std::nullopt;
}

std::vector<int64_t> integers_of(const Tensor& tensor) { return numbers_of<int64_t>(tensor); }
std::vector<double> reals_of(const Tensor& tensor) { return numbers_of<double>(tensor); }

Scalar scalar_of(const Tensor& tensor, int64_t index) {
  Scalar scalar;
  reference::with_domain(tensor.dtype(), [&]<class T>() {
    const T element = reference::view<T>(tensor)[index];
    if constexpr (std::is_same_v<T, reference::Complex>) {
      scalar = std::complex<float>(element);
    } else {
      scalar = element;
    }
  });
  return scalar;
}

Tensor tensor_of(DType dtype, Sizes sizes, const std::vector<int64_t>& elements) {
  Tensor tensor = Tensor::allocate(dtype, std::move(sizes));
  reference::with_domain(dtype, [&]<class T>() {
    if constexpr (std::is_integral_v<T>) {
      const reference::Out<T> out(tensor, reference::storer<T>(dtype));
      for (size_t i = 0; i < elements.size(); ++i) out.store(static_cast<int64_t>(i), static_cast<T>(elements[i]));
    }
  });
  return tensor;
}

}  // namespace ingot::onnx
