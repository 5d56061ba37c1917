// SPDX-License-Identifier: BSL-1.0
#include "allocation_counter.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> made{0};
thread_local long bytes = 0;

void* counted(void* memory) {
  made.fetch_add(1, std::memory_order_relaxed);
  if (memory == nullptr) throw std::bad_alloc{};
  return memory;
}
}  // namespace

namespace espalier_test {
long allocations() { return made.load(std::memory_order_relaxed); }
long aligned_bytes() { return bytes; }
}  // namespace espalier_test

// The other forms of new and delete call these.
void* operator new(std::size_t size) { return counted(std::malloc(size > 0 ? size : 1)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  auto const multiple = static_cast<std::size_t>(alignment);
  bytes += static_cast<long>(size);
  return counted(std::aligned_alloc(multiple, (size + multiple) / multiple * multiple));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
