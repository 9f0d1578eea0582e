// .npy files: whatever the bytes are, an Error or a tensor; and a tensor written and read again is the same.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "program/error.h"
#include "program/io/npy.h"

using namespace ingot;

namespace {

std::optional<Tensor> read(std::span<const std::byte> bytes) try {
  return read_npy(Buffer{nullptr, bytes});
} catch (const Error&) {
  return {};
}

std::string written(const Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return npy_prefix(tensor).append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

bool same(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && std::ranges::equal(a.bytes(), b.bytes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto tensor = read(std::as_bytes(std::span(data, size)));
  if (!tensor) return 0;
  const std::string file = written(*tensor);
  const auto again = read(std::as_bytes(std::span(file)));
  if (!again || !same(*tensor, *again)) std::abort();
  return 0;
}
