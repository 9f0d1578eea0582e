#include "engines/mlx/convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "program/error.h"

namespace ingot::mlx_engine {

namespace {

constexpr std::pair<DType, mx::Dtype> dtypes[] = {
    {DType::bool_, mx::bool_}, {DType::u8, mx::uint8},      {DType::u16, mx::uint16},    {DType::u32, mx::uint32},
    {DType::u64, mx::uint64},  {DType::i8, mx::int8},       {DType::i16, mx::int16},     {DType::i32, mx::int32},
    {DType::i64, mx::int64},   {DType::f16, mx::float16},   {DType::bf16, mx::bfloat16}, {DType::f32, mx::float32},
    {DType::f64, mx::float64}, {DType::c64, mx::complex64},
};

int32_t to_mlx(int64_t size) {
  if (size <= std::numeric_limits<int32_t>::max()) return static_cast<int32_t>(size);
  throw Error(Code::limit, fmt::format("an axis has {} elements, expected at most {} (of MLX)", size,
                                       std::numeric_limits<int32_t>::max()));
}

}  // namespace

bool is_flat(DType dtype) { return dtype == DType::packed || bits(dtype) < 8; }

mx::Dtype to_mlx(DType dtype) {
  const auto found = std::ranges::find(dtypes, dtype, &std::pair<DType, mx::Dtype>::first);
  return found == std::end(dtypes) ? mx::uint8 : found->second;
}

DType from_mlx(mx::Dtype dtype) {
  return std::ranges::find(dtypes, dtype, &std::pair<DType, mx::Dtype>::second)->first;
}

mx::Shape to_mlx(const Sizes& sizes) {
  mx::Shape shape;
  for (int64_t size : sizes) shape.push_back(to_mlx(size));
  return shape;
}

mx::Shape stored_shape(DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme) {
  if (is_flat(dtype)) return {to_mlx(byte_count(dtype, sizes, scheme))};
  return to_mlx(sizes);
}

array without_value(DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme) {
  return array(stored_shape(dtype, sizes, scheme), to_mlx(dtype), nullptr, std::vector<array>{});
}

array upload(const Tensor& tensor) {
  const std::span<const std::byte> bytes = tensor.bytes();
  mx::allocator::Data data = mx::allocator::malloc(bytes.size());
  if (!bytes.empty()) {
    void* memory = data.buffer().raw_ptr();
    if (!memory) throw Error(Code::limit, fmt::format("the device has no memory for {} bytes", bytes.size()));
    std::memcpy(memory, bytes.data(), bytes.size());
  }
  return array(std::move(data), stored_shape(tensor.dtype(), tensor.sizes(), tensor.scheme()), to_mlx(tensor.dtype()));
}

Tensor download(const array& value, DType dtype, const Sizes& sizes, const std::optional<QuantScheme>& scheme) {
  if (value.size() == 0) return Tensor::allocate(dtype, sizes, scheme);
  auto owner = std::make_shared<const array>(value);
  const auto* data = owner->data<std::byte>();
  return Tensor(dtype, sizes, Buffer{std::move(owner), {data, value.nbytes()}}, scheme);
}

}  // namespace ingot::mlx_engine
