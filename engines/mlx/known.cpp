#include "engines/mlx/known.h"

#include <mlx/primitives.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace ingot::mlx_engine {
namespace {

constexpr size_t most_known = 256;

// They may lie anywhere.
template <class T>
Integers widened(const void* values, size_t count, Integers into) {
  if (into.use_count() != 1) into = std::make_shared<std::vector<int64_t>>();
  into->resize(count);
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, static_cast<const std::byte*>(values) + i * sizeof(T), sizeof(T));
    (*into)[i] = value;
  }
  return into;
}

// One integer that is there already, for all elements.
std::optional<int64_t> constant_of(array a) {
  if (a.has_primitive() && a.primitive().name() == std::string_view("Broadcast")) a = array(a.inputs()[0]);
  if (a.has_primitive() || a.status() != array::Status::available || a.size() != 1) return std::nullopt;
  if (a.dtype() == mx::int64) return *a.data<int64_t>();
  if (a.dtype() == mx::int32) return *a.data<int32_t>();
  return std::nullopt;
}

bool rearranges(std::string_view primitive) {
  static constexpr std::string_view names[] = {"Reshape", "Flatten", "Unflatten", "ExpandDims", "Squeeze"};
  return std::ranges::find(names, primitive) != std::end(names);
}

}  // namespace

Integers known_integers(const Tensor& tensor, Integers instead) {
  const auto count = static_cast<size_t>(tensor.elements());
  if (count > most_known) return nullptr;
  const void* values = tensor.bytes().data();
  switch (tensor.dtype()) {  // those that indices have
    case DType::i32: return widened<int32_t>(values, count, std::move(instead));
    case DType::u32: return widened<uint32_t>(values, count, std::move(instead));
    case DType::i64: return widened<int64_t>(values, count, std::move(instead));
    default: return nullptr;
  }
}

Integers known_integers(const array& value, Integers instead) {
  if (value.size() > most_known || !value.is_available() || !value.flags().row_contiguous) return nullptr;
  const void* values = value.data<std::byte>();
  if (value.dtype() == mx::int64) return widened<int64_t>(values, value.size(), std::move(instead));
  if (value.dtype() == mx::int32) return widened<int32_t>(values, value.size(), std::move(instead));
  return nullptr;
}

Source source_of(array a) {
  Source source{};
  while (a.has_primitive()) {
    const std::string_view primitive = a.primitive().name();
    const std::vector<array>& operands = a.inputs();
    if (primitive == "Add" && source.offset == 0 && operands[0].size() == a.size() && constant_of(operands[1])) {
      source.offset = *constant_of(operands[1]);
      source.narrow = a.dtype() == mx::int32;
    } else if (!rearranges(primitive) && !(primitive == "AsType" && a.dtype() == mx::int64)) {
      break;
    }
    a = array(operands[0]);
  }
  source.id = a.id();
  return source;
}

IntegerCheck check_of_source(const Source& source, IntegerCheck check_of_sums) {
  if (source.offset == 0) return check_of_sums;
  return [source, check = std::move(check_of_sums)](std::span<const int64_t> values) {
    std::array<int64_t, most_known> sums;
    for (size_t i = 0; i < values.size(); ++i) {
      const auto sum = static_cast<int64_t>(static_cast<uint64_t>(values[i]) + static_cast<uint64_t>(source.offset));
      sums[i] = source.narrow ? static_cast<int32_t>(sum) : sum;
    }
    return check(std::span(sums).first(values.size()));
  };
}

}  // namespace ingot::mlx_engine
