#include "engines/mlx/blas.h"

#include <mlx/primitives.h>

#include <algorithm>
#include <atomic>
#include <string_view>

#include "engines/mlx/device.h"

// OpenBLAS's own, which it uses around every product.
extern "C" {
[[gnu::weak]] void* blas_memory_alloc(int place);
[[gnu::weak]] void blas_memory_free(void* buffer);
}

namespace ingot::mlx_engine {
namespace {

// Primitives that call BLAS or LAPACK on the CPU.
constexpr std::string_view kProducts[] = {"AddMM", "BlockMaskedMM", "Cholesky",   "Convolution", "Eig",
                                          "Eigh",  "GatherMM",      "Inverse",    "LUF",         "Matmul",
                                          "QRF",   "SVD",           "SegmentedMM"};

std::atomic<bool> is_taken = false;

}  // namespace

bool has_blas_buffer() { return is_taken || !blas_memory_alloc || !blas_memory_free; }

void take_blas_buffer_for(const array& a) {
  constexpr int64_t buffer_bytes = int64_t{128} << 20;
  if (!a.has_primitive() || a.primitive().stream().device != mx::Device::cpu) return;
  if (std::ranges::find(kProducts, std::string_view(a.primitive().name())) == std::end(kProducts)) return;
  require_host_memory(buffer_bytes, "OpenBLAS");
  blas_memory_free(blas_memory_alloc(0));
  is_taken = true;
}

}  // namespace ingot::mlx_engine
