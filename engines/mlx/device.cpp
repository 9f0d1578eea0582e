#include "engines/mlx/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <memory>
#include <utility>

#include "program/debug.h"
#include "program/error.h"
#include "program/start_thread.h"
#include "program/text/suggest.h"

// Absent where MLX multiplies with another BLAS (Accelerate).
extern "C" [[gnu::weak]] void openblas_set_num_threads(int count);

namespace ingot::mlx_engine {
namespace {

int64_t host_memory() { return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE); }

int64_t memory_of(const mx::Device& device) {
  for (const auto& [key, value] : mx::device_info(device)) {
    if (key == "memory_size" || key == "total_memory") return static_cast<int64_t>(std::get<size_t>(value));
  }
  return host_memory();
}

// Whether the system would give as much. Nothing is written to it, so that it takes a microsecond or two.
bool is_to_be_had(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, bytes);
  return true;
}

// MLX starts the thread of a CPU's stream with the first work for it: here, so that the Error says so.
mx::Stream new_stream(const std::string& name, mx::Device device) {
  return starting("MLX's thread for " + name, [&] {
    const mx::Stream stream = mx::new_thread_unsafe_stream(device);
    if (device == mx::Device::cpu) mx::synchronize(stream);
    return stream;
  });
}

// MLX reads its settings once, at the first use. What the user has set stays.
void set_up() {
  if (std::string_view(mx::version()) !=
      fmt::format("{}.{}.{}", MLX_VERSION_MAJOR, MLX_VERSION_MINOR, MLX_VERSION_PATCH)) {
    throw Error(Code::version, fmt::format("the MLX that was loaded is {}, expected {}.{}.{}", mx::version(),
                                           MLX_VERSION_MAJOR, MLX_VERSION_MINOR, MLX_VERSION_PATCH));
  }
  // Many shapes are normal here; MLX's check ends the process after so many misses.
  setenv("MLX_ENABLE_CACHE_THRASHING_CHECK", "0", 0);
  // f32 means f32: docs/semantics.md.
  setenv("MLX_ENABLE_TF32", "0", 0);
}

// What is older is destroyed later: by then nothing of ours may run on MLX's streams, encoders and allocator.
void end_all() {
  static bool has_ended = false;  // it is registered again and again: count_work
  if (std::exchange(has_ended, true)) return;
  for (Device* device : devices()) device->end();
}

std::vector<Device*> make_devices() {
  set_up();
  std::vector<Device*> all;
  const mx::Device gpu(mx::Device::gpu), cpu(mx::Device::cpu);
  if (mx::is_available(gpu)) all.push_back(new Device(mx::metal::is_available() ? "metal" : "cuda", gpu));
  if (mx::is_available(cpu)) all.push_back(new Device("cpu", cpu));
  // Freed buffers are kept for the next call; MLX's own limit for the CPU is 32 MB.
  if (all.size() == 1) mx::set_cache_limit(static_cast<size_t>(host_memory() / 8));
  return all;
}

}  // namespace

Device::Device(std::string name, mx::Device device)
    : name_(std::move(name)), stream_(new_stream(name_, device)), memory_(memory_of(device)) {}

mx::Stream Device::cpu_stream() {
  if (is_cpu()) return stream_;
  if (!beside_) beside_ = new_stream("cpu", mx::Device::cpu);
  return *beside_;
}

// Whatever is used for the first time may register an end of its own, which comes before those that are older. A GPU's driver
// and its library of products do so now, and ours is registered behind them; other libraries that some work uses first are
// why it is registered again.
void Device::begin() {
  if (!is_cpu()) {
    const array ones = mx::ones({16, 16}, mx::float32, stream_);
    mx::eval(mx::matmul(ones, ones, stream_));
  }
  static_cast<void>(std::atexit(end_all));
}

void Device::count_work() {
  const uint64_t count = ++done_;
  if (std::has_single_bit(count)) static_cast<void>(std::atexit(end_all));
}

void Device::stay_awake() {
  if (!is_cpu()) return;
  const uint64_t after_next = done_ + 2;  // what comes is first submitted whole, so that it need not wake anyone
  mx::scheduler::enqueue(stream_, [this, after_next] { for_more_.sees([&] { return done_ >= after_next; }); });
}

void Device::end() noexcept {
  try {
    if (!worker_.end()) return;
    mx::synchronize(stream_);
    if (beside_) mx::synchronize(*beside_);
  } catch (const std::exception& error) {  // of what was submitted: nobody waits for it any more
    debug(1, [&] { return fmt::format("while the process ends: {}", error.what()); });
  }
}

void Device::require_memory(int64_t bytes) const {
  constexpr int64_t few = int64_t{1} << 20;   // what a call may take unasked
  constexpr size_t ahead = size_t{64} << 20;  // what MLX may allocate before it has freed what is no longer used
  if (!is_cpu() || bytes < few) return;
  // There MLX waits. Beside a GPU the limit would be that one's.
  if (devices().size() == 1) mx::set_memory_limit(mx::get_active_memory() + static_cast<size_t>(bytes) + ahead);
  require_host_memory(bytes);
}

void require_host_memory(int64_t bytes, std::string_view what) {
  const auto count = static_cast<size_t>(bytes);
  if (is_to_be_had(count)) return;
  mx::clear_cache();  // what was freed and kept for later
  if (!is_to_be_had(count)) {
    throw Error(Code::limit, fmt::format("the system does not have {} bytes more for {}", bytes, what));
  }
}

DeviceFacts Device::facts() const {
  DeviceFacts facts{name_, name_, memory_};
  for (const auto& [key, value] : mx::device_info(stream_.device)) {
    if (key == "device_name") facts.description = std::get<std::string>(value);
  }
  return facts;
}

void set_blas_threads(int threads) {
  if (openblas_set_num_threads) openblas_set_num_threads(threads);
}

const std::vector<Device*>& devices() {
  static const auto& all = *new const std::vector<Device*>(make_devices());  // found by threads that outlive main, too
  return all;
}

Device& find_device(std::string_view name) {
  if (name.empty() && !devices().empty()) return *devices().front();
  std::vector<std::string_view> names;
  for (Device* device : devices()) {
    if (device->name() == name) return *device;
    names.push_back(device->name());
  }
  throw Error(Code::not_found, fmt::format("there is no device '{}', expected {}{}", name, fmt::join(names, " or "),
                                           did_you_mean(name, names)));
}

}  // namespace ingot::mlx_engine
