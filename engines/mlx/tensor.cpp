#include "engines/mlx/tensor.h"

#include <cstring>

#include "engines/check_call.h"
#include "engines/mlx/parts.h"

namespace ingot::mlx_engine {

void MlxTensor::fill(array value, DType dtype, const std::optional<QuantScheme>& scheme) {
  value_ = std::move(value);
  dtype_ = dtype;
  scheme_ = scheme;
  is_fresh_ = is_used_ = false;
}

bool MlxTensor::may_move() const {
  if (!is_fresh_ || weak_from_this().use_count() > 1) return false;
  std::atomic_thread_fence(std::memory_order_acquire);  // whoever let go of it last may have used it before
  return !is_used_;
}

const array& MlxTensor::on_host(std::optional<array>& copy) const {
  wait();
  if (value_->size() == 0) return *value_;
  // On a GPU reading moves the memory to where both reach it. Where others use it, or may, a copy goes instead.
  const bool stays = !device_.is_cpu() && !may_move();
  if (!stays && value_->flags().row_contiguous) return *value_;
  device_.run([&] {
    copy = stays ? copied(*value_, device_.stream()) : mx::contiguous(*value_, false, device_.stream());
    mx::async_eval(*copy);
  });
  copy->wait();
  return *copy;
}

Tensor MlxTensor::to_host() const {
  std::optional<array> copy;
  const array& value = on_host(copy);
  Tensor tensor = download(value, dtype_, sizes_, scheme_);
  // A row of a state must not keep all of it, and from being written in place.
  const bool is_part = value.size() > 0 && value.buffer_size() / 2 > value.nbytes();
  return is_part ? Tensor(dtype_, sizes_, Buffer::copy_of(tensor.bytes()), scheme_) : tensor;
}

void MlxTensor::read(std::span<std::byte> into) const {
  std::optional<array> copy;
  const array& value = on_host(copy);
  if (value.size() > 0) std::memcpy(into.data(), value.data<std::byte>(), into.size());
}

MlxTensor* unshared(const Handle& handle) {
  if (handle.use_count() != 1) return nullptr;
  // Whoever held it last has let go by a release of the count: to change the count oneself is to come behind that.
  Handle(handle).reset();
  return &const_cast<MlxTensor&>(dynamic_cast<const MlxTensor&>(*handle));
}

MlxTensor& refilled(Handle& handle, Device& device) {
  if (MlxTensor* tensor = handle ? unshared(handle) : nullptr) return *tensor;
  auto tensor = std::make_shared<MlxTensor>(device);
  handle = tensor;
  return *tensor;
}

void clear(Handle& handle) {
  if (!handle) return;
  if (MlxTensor* tensor = unshared(handle)) {
    tensor->clear();
  } else {
    handle = nullptr;
  }
}

// -------------------------------------------------------------------------------------------------------- arrays.h

Handle handle_of(array value, std::string_view device) {
  mx::eval(value);
  const auto tensor = std::make_shared<MlxTensor>(find_device(device));
  tensor->mutable_sizes().assign(value.shape().begin(), value.shape().end());
  const DType dtype = from_mlx(value.dtype());
  tensor->fill(std::move(value), dtype, {});
  return tensor;
}

const array& array_of(const Handle& handle) { return own<MlxTensor>(handle, "the tensor").value(); }

}  // namespace ingot::mlx_engine
