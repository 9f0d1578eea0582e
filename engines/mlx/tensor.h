// MlxTensor: a tensor on one of MLX's devices.
//
// Ownership  shares the array's memory. Threads  immutable; any thread. Failure  what MLX reports while it waits.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engines/engine.h"
#include "engines/mlx/convert.h"
#include "engines/mlx/device.h"
#include "engines/mlx/known.h"

namespace ingot::mlx_engine {

class MlxTensor final : public DeviceTensor, public std::enable_shared_from_this<MlxTensor> {
 public:
  MlxTensor(array value, DType dtype, Sizes sizes, std::optional<QuantScheme> scheme, Device& device,
            Integers known = {}, bool passing = false)
      : value_(std::move(value)),
        dtype_(dtype),
        sizes_(std::move(sizes)),
        scheme_(scheme),
        device_(device),
        known_(std::move(known)),
        passing_(passing) {}

  DType dtype() const override { return dtype_; }
  const Sizes& sizes() const override { return sizes_; }
  const std::optional<QuantScheme>& scheme() const override { return scheme_; }
  void wait() const override { array(value_).wait(); }
  Tensor to_host() const override;
  const array& value() const { return value_; }
  const Integers& known() const { return known_; }

 private:
  array value_;
  DType dtype_;
  Sizes sizes_;
  std::optional<QuantScheme> scheme_;
  Device& device_;
  Integers known_;
  bool passing_;  // an output, which nothing on the device needs unless it is held on to
};

}  // namespace ingot::mlx_engine
