// Device: one device of MLX, and the worker that owns its one stream, which graphs go through to be built and submitted.
//
// Ownership  devices live as long as the process, as MLX's own do; their work ends when the process begins to exit.
// Threads    every method from any thread; nothing is shared between devices.
// Failure    Code::not_found for a device that this build or machine does not have.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engines/engine.h"
#include "engines/mlx/mlx.h"
#include "engines/mlx/worker.h"

namespace ingot::mlx_engine {

inline bool is_cuda(mx::Stream s) { return s.device == mx::Device::gpu && !mx::metal::is_available(); }

class Device {
 public:
  Device(std::string name, mx::Device device);

  const std::string& name() const { return name_; }
  bool is_cpu() const { return stream_.device == mx::Device::cpu; }
  mx::Stream stream() const { return stream_; }
  // For what a GPU cannot do: one beside it. Within `run`.
  mx::Stream cpu_stream();
  DeviceFacts facts() const;
  int64_t memory() const { return memory_; }  // bytes
  // Throws unless the system has so many bytes more, on a CPU: there MLX would write to what it was not given.
  void require_memory(int64_t bytes) const;

  // Has the worker do it: whatever builds graphs or submits them. Waiting for results and reading them needs none.
  template <class F>
  auto run(F work, Awake& awake) {
    const auto on_stream = [&] {
      mx::set_default_stream(stream_);  // for ops of the host that name none: else MLX makes one for every thread
      const Counted counted(*this);
      return work();
    };
    return worker_.run(on_stream, awake);
  }
  template <class F>
  auto run(F work) {
    Awake awake;
    return run(std::move(work), awake);
  }
  // The last of some work: the thread on which MLX computes for a CPU then waits awake for more. To wake it takes longer
  // than a small call, above all where a core that has nothing to do is a virtual machine's.
  void stay_awake();
  // Returns when what was submitted is done, and nothing more is. Not within `run`: there it does nothing.
  void end() noexcept;

 private:
  struct Counted {  // a piece of work
    explicit Counted(Device& of) : device(of) {
      if (device.done_ == 0) device.begin();
    }
    ~Counted() { device.count_work(); }
    Device& device;
  };
  void begin();
  void count_work();

  std::string name_;
  mx::Stream stream_;
  int64_t memory_;
  std::optional<mx::Stream> beside_;  // its CPU, once used
  std::atomic<uint64_t> done_ = 0;    // pieces of work
  Awake for_more_;                    // MLX's thread's own
  Worker worker_;
};

// The most threads of a product on the CPU. BLAS has one setting for the process, which takes effect with the next product.
void set_blas_threads(int threads);

// Throws unless the system has so many bytes more for the process. `what` needs them, for the message.
void require_host_memory(int64_t bytes, std::string_view what = "this call");

// GPUs first.
const std::vector<Device*>& devices();
// By name; empty: the first.
Device& find_device(std::string_view name);

}  // namespace ingot::mlx_engine
