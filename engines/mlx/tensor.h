// MlxTensor: a tensor on one of MLX's devices.
//
// Ownership  shares the array's memory.
// Threads    immutable, any thread; `to_host` and `read` one at a time; whoever alone holds one may fill it anew (`refilled`).
// Failure    what MLX reports while it waits.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "engines/engine.h"
#include "engines/mlx/arrays.h"
#include "engines/mlx/convert.h"
#include "engines/mlx/device.h"
#include "engines/mlx/known.h"

namespace ingot::mlx_engine {

class MlxTensor final : public DeviceTensor, public std::enable_shared_from_this<MlxTensor> {
 public:
  explicit MlxTensor(Device& device) : device_(device) {}

  DType dtype() const override { return dtype_; }
  const Sizes& sizes() const override { return sizes_; }
  const std::optional<QuantScheme>& scheme() const override { return scheme_; }
  void wait() const override { array(*value_).wait(); }
  Tensor to_host() const override;
  void read(std::span<std::byte> into) const override;
  bool is_on(const Device& device) const { return &device == &device_; }
  // For others to use, from now on.
  const array& value() const {
    is_used_ = true;
    return *value_;
  }
  // Whether a GPU may move its memory to where the host reads it.
  bool may_move() const;
  const Integers& known() const { return known_; }

  // ---- of one that nobody else holds
  void fill(array value, DType dtype, const std::optional<QuantScheme>& scheme);
  Sizes& mutable_sizes() { return sizes_; }
  Integers& mutable_known() { return known_; }
  // Until it is used its memory is no other array's (engines/mlx/fresh.h).
  void set_fresh(bool fresh) { is_fresh_ = fresh; }
  array take() { return *std::exchange(value_, std::nullopt); }
  void clear() { value_.reset(); }

 private:
  // The value where the host can read it: as it is, or else in `copy`.
  const array& on_host(std::optional<array>& copy) const;

  Device& device_;
  std::optional<array> value_;  // none: a place for the next one
  DType dtype_ = DType::f32;
  Sizes sizes_;
  std::optional<QuantScheme> scheme_;
  Integers known_;
  bool is_fresh_ = false;
  mutable std::atomic<bool> is_used_ = false;
};

// What a handle holds, to be filled anew; none where others hold it too. Precondition: not null.
MlxTensor* unshared(const Handle& handle);
// Likewise; another tensor where it has none, or others hold that.
MlxTensor& refilled(Handle& handle, Device& device);
// Lets go of the value, and of the tensor where others hold it.
void clear(Handle& handle);

}  // namespace ingot::mlx_engine
