// Device: one device of MLX, and the right to use it.
//
// MLX ties streams to threads and starts a thread for every stream of the CPU. Here a device has one stream for ever,
// of the kind that any thread may use while nobody else does; a Turn is that permission. So a call runs on the thread
// that makes it, without a hand-over, and any number of callers leave no threads behind.
//
// Ownership  devices live as long as the process, as MLX's own do.
// Threads    every method from any thread. Turns are taken one after the other; nothing is shared between devices.
// Failure    Code::not_found for a device that this build or machine does not have.
#pragma once

#include <mutex>
#include <string_view>
#include <vector>

#include "engines/engine.h"
#include "engines/mlx/mlx.h"

namespace ingot::mlx_engine {

inline bool is_cuda(mx::Stream s) { return s.device == mx::Device::gpu && !mx::metal::is_available(); }

class Device {
 public:
  Device(std::string name, mx::Device device);

  const std::string& name() const { return name_; }
  bool is_cpu() const { return stream_.device == mx::Device::cpu; }
  mx::Stream stream() const { return stream_; }
  DeviceFacts facts() const;

 private:
  friend class Turn;
  std::string name_;
  mx::Stream stream_;
  std::mutex mutex_;
};

// Building and submitting graphs happens within one. Waiting for results and reading them needs none.
class Turn {
 public:
  [[nodiscard]] explicit Turn(Device& device);

 private:
  std::unique_lock<std::mutex> lock_;
};

// GPUs first.
const std::vector<Device*>& devices();
// By name; empty: the first.
Device& find_device(std::string_view name);

}  // namespace ingot::mlx_engine
