#include "tests/file/allocations.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> held = 0, peak = 0;

void* counted(void* memory) noexcept {
  if (!memory) return nullptr;
  const size_t now = held += ::malloc_usable_size(memory);
  for (size_t most = peak; most < now && !peak.compare_exchange_weak(most, now);) {
  }
  return memory;
}

void* allocate(size_t size) noexcept { return counted(std::malloc(size)); }
void* allocate(size_t size, std::align_val_t align) noexcept {
  const auto a = static_cast<size_t>(align);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
void* or_throw(void* memory) { return memory ? memory : throw std::bad_alloc(); }

void release(void* memory) noexcept {
  if (memory) held -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) { return or_throw(allocate(size)); }
void* operator new[](size_t size) { return or_throw(allocate(size)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(size_t size, std::align_val_t align) { return or_throw(allocate(size, align)); }
void* operator new(size_t size, std::align_val_t align, const std::nothrow_t&) noexcept {
  return allocate(size, align);
}
void operator delete(void* memory) noexcept { release(memory); }
void operator delete[](void* memory) noexcept { release(memory); }
void operator delete(void* memory, size_t) noexcept { release(memory); }
void operator delete[](void* memory, size_t) noexcept { release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { release(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept { release(memory); }

namespace ingot::test {

size_t allocated() { return held; }
size_t take_peak() { return peak.exchange(held); }

}  // namespace ingot::test
