// Safetensors files: whatever the bytes are, an Error or tensors that lie within them.
#include <cstdint>
#include <cstdlib>

#include "fuzz/read_all.h"
#include "program/error.h"
#include "program/io/safetensors.h"

using namespace ingot;

namespace {

void check(bool promise) {
  if (!promise) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const SafetensorsIndex index(Buffer{nullptr, std::as_bytes(std::span(data, size))});
    uint64_t end = 0;
    for (const auto& entry : index.entries()) {
      check(entry.begin >= end && entry.end >= entry.begin && entry.end <= size);
      end = entry.end;
      check(index.find(entry.name) == &entry);
      read_all(index.tensor(entry));
    }
  } catch (const Error&) {
  }
  return 0;
}
