// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "fiber.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
extern "C" void __asan_poison_memory_region(void const volatile* address, std::size_t size);
#endif

namespace espalier::on_cuda::detail {

/// The memory of the device that host_machines play: one for the whole program, as every stream of a device reaches all of its memory. Around each
/// allocation lie bytes that nobody may write.
/// threads  any number at a time: a lock for as long as it takes to look through all allocations
class host_memory {
 public:
  constexpr host_memory() = default;
  host_memory(host_memory const&) = delete;
  host_memory& operator=(host_memory const&) = delete;

  /// Where an address lies: `first` bytes into an allocation of so many; its end counts as in it.
  struct place {
    bool found = false;
    std::size_t first = 0, bytes = 0;
  };

  /// Zeroed, 256-byte aligned; null if there is no memory.
  void* add(std::size_t bytes, void const* owner) {
    void* const memory = bytes < ~std::size_t{0} - 2 * margin ? ::operator new (bytes + 2 * margin, std::align_val_t{256}, std::nothrow) : nullptr;
    if (memory == nullptr) return nullptr;
    auto* const a = ::new (memory) allocation{nullptr, nullptr, bytes, owner};
    std::memset(data(a), 0, bytes);
    guard(a);
    locked const hold(*this);
    a->next = first_;
    if (first_ != nullptr) first_->last = a;
    first_ = a;
    return data(a);
  }
  /// False if there is no such allocation.
  bool remove(void const* at) {
    locked const hold(*this);
    allocation* const a = holder(at);
    if (a == nullptr || data(a) != at) return false;
    take_out(a);
    return true;
  }
  void remove_all_of(void const* owner) {
    locked const hold(*this);
    for (allocation *a = first_, *next = nullptr; a != nullptr; a = next) {
      next = a->next;
      if (a->owner == owner) take_out(a);
    }
  }
  std::size_t bytes_of(void const* owner) {
    locked const hold(*this);
    std::size_t sum = 0;
    for (allocation* a = first_; a != nullptr; a = a->next) sum += a->owner == owner ? a->bytes : 0;
    return sum;
  }

  place find(void const* at) {
    locked const hold(*this);
    allocation* const a = holder(at);
    return a == nullptr ? place{} : place{true, address(at) - address(data(a)), a->bytes};
  }
  /// Whether any of these bytes is in an allocation.
  bool overlaps(void const* at, std::size_t bytes) {
    locked const hold(*this);
    for (allocation* a = first_; a != nullptr; a = a->next)
      if (address(at) < address(data(a)) + a->bytes && address(data(a)) < address(at) + bytes) return true;
    return false;
  }
  /// An allocation that somebody has written beside, since it was told last.
  place damaged() {
    locked const hold(*this);
    for (allocation* a = first_; a != nullptr; a = a->next)
      if (!intact(a)) {
        guard(a);
        return {true, 0, a->bytes};
      }
    return {};
  }

 private:
  /// What lies before an allocation's bytes. The rest up to `margin`, and as much behind the bytes, is not to be written.
  struct allocation {
    allocation *last, *next;
    std::size_t bytes;
    void const* owner;
  };
  static constexpr std::size_t margin = 256, front = margin - sizeof(allocation);
  static constexpr unsigned char mark = 0xa5;

  /// Holds the lock. <mutex> would cost every program a fifth of a second.
  struct locked {
    explicit locked(host_memory& m) : memory(m) {
      while (__atomic_exchange_n(&memory.busy_, true, __ATOMIC_ACQUIRE)) {
      }
    }
    ~locked() { __atomic_store_n(&memory.busy_, false, __ATOMIC_RELEASE); }
    locked(locked const&) = delete;
    locked& operator=(locked const&) = delete;
    host_memory& memory;
  };

  static unsigned char* data(allocation* a) { return reinterpret_cast<unsigned char*>(a) + margin; }
  static std::uintptr_t address(void const* at) { return reinterpret_cast<std::uintptr_t>(at); }

  allocation* holder(void const* at) const {
    for (allocation* a = first_; a != nullptr; a = a->next)
      if (address(at) - address(data(a)) <= a->bytes) return a;
    return nullptr;
  }
  void take_out(allocation* a) {
    if (a->last != nullptr) a->last->next = a->next;
    else first_ = a->next;
    if (a->next != nullptr) a->next->last = a->last;
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(a, a->bytes + 2 * margin);
#endif
    ::operator delete (static_cast<void*>(a), std::align_val_t{256});
  }

  // The address sanitizer knows of each access; without it, writes are found later by what is not there any more.
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
  static void guard(allocation* a) {
    __asan_poison_memory_region(data(a) - front, front);
    __asan_poison_memory_region(data(a) + a->bytes, margin);
  }
  static bool intact(allocation*) { return true; }
#else
  static void guard(allocation* a) {
    std::memset(data(a) - front, mark, front);
    std::memset(data(a) + a->bytes, mark, margin);
  }
  static bool intact(allocation* a) {
    unsigned char const *const before = data(a) - front, *const behind = data(a) + a->bytes;
    // Equal to its neighbour all along.
    return before[0] == mark && std::memcmp(before, before + 1, front - 1) == 0 && behind[0] == mark && std::memcmp(behind, behind + 1, margin - 1) == 0;
  }
#endif

  allocation* first_ = nullptr;
  bool busy_ = false;
};

/// Never destroyed: tensors of static storage give their memory back after main has returned.
inline constinit host_memory simulated_memory{};

}  // namespace espalier::on_cuda::detail
#pragma GCC diagnostic pop
