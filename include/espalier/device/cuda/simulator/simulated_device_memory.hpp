// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "fiber.hpp"
#include "stream_clock.hpp"

#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
extern "C" void __asan_poison_memory_region(void const volatile* address, std::size_t size);
#endif

namespace espalier::on_cuda::detail {

/// The memory of all simulated devices: one list for the whole program, because every stream of a device reaches all of
/// its memory. Guard bytes around each allocation detect writes outside it. Allocations that a stream of copies writes
/// record which streams use them, and parts that devices exchange record the exchange, so that a missing wait between
/// two streams is detected.
/// threads  any number at a time: each call holds a lock while it searches all allocations
class simulated_device_memory {
 public:
  constexpr simulated_device_memory() = default;
  simulated_device_memory(simulated_device_memory const&) = delete;
  simulated_device_memory& operator=(simulated_device_memory const&) = delete;

  /// The position of an address: `first` bytes into an allocation of `bytes` bytes; the end address is part of it.
  struct allocation_range {
    bool found = false;
    std::size_t first = 0, bytes = 0;
    bool ordered = true;     // the stream that uses it waits for the others
    bool exchanged = false;  // if not: an exchange of devices writes it
    int device = 0;          // the number of the device whose memory it is
  };

  /// Allocates zeroed memory, 256-byte aligned; null if there is none left.
  void* add(std::size_t bytes, void const* owner, simulated_work made = {}, int device = 0) {
    void* const memory = bytes < ~std::size_t{0} - 2 * margin
                             ? ::operator new (bytes + 2 * margin, std::align_val_t{256}, std::nothrow)
                             : nullptr;
    if (memory == nullptr) return nullptr;
    auto* const a = ::new (memory) allocation{nullptr, nullptr, bytes, owner, made, {}, {}, 0, device, nullptr};
    std::memset(data(a), 0, bytes);
    guard(a);
    locked const hold(*this);
    a->next = first_;
    if (first_ != nullptr) first_->last = a;
    first_ = a;
    return data(a);
  }
  /// Releases an allocation; false if none begins at this address.
  bool remove(void const* at) {
    locked const hold(*this);
    allocation* const a = holder(at);
    if (a == nullptr || data(a) != at) return false;
    unlink(a);
    return true;
  }
  void remove_all_of(void const* owner) {
    locked const hold(*this);
    for (allocation *a = first_, *next = nullptr; a != nullptr; a = next) {
      next = a->next;
      if (a->owner == owner) unlink(a);
    }
  }
  std::size_t bytes_of(void const* owner) {
    locked const hold(*this);
    std::size_t sum = 0;
    for (allocation* a = first_; a != nullptr; a = a->next) sum += a->owner == owner ? a->bytes : 0;
    return sum;
  }

  allocation_range find(void const* at) {
    locked const hold(*this);
    allocation* const a = holder(at);
    return a == nullptr ? allocation_range{} : range_of(a, at);
  }
  /// Devices exchange these bytes, and `work` writes them.
  void exchange(void const* at, std::size_t bytes, simulated_work work) {
    locked const hold(*this);
    allocation* const a = holder(at);
    if (a == nullptr) return;
    std::size_t const first = address(at) - address(data(a));
    for (exchanged_part* part = a->exchanged; part != nullptr; part = part->next)
      if (part->first == first && part->bytes == bytes) {
        part->work = work;
        return;
      }
    a->exchanged = new exchanged_part{a->exchanged, first, bytes, work};
  }
  /// The position of an address from which work of a stream uses some bytes; whether the stream waits for the copies
  /// and exchanges that wrote the memory.
  allocation_range used_by(void const* at, std::size_t bytes, simulated_stream& stream) {
    locked const hold(*this);
    allocation* const a = holder(at);
    if (a == nullptr) return {};
    allocation_range found = range_of(a, at);
    for (exchanged_part const* part = a->exchanged; part != nullptr; part = part->next)
      if (found.first < part->first + part->bytes && part->first < found.first + bytes && !stream.knows(part->work)) {
        found.ordered = false;
        found.exchanged = true;
      }
    if (a->copied.time == 0) return found;
    found.ordered = found.ordered && stream.knows(a->copied);
    simulated_work const use = stream.next();
    int i = 0;
    while (i < a->streams && a->used[i].stream != use.stream) ++i;
    if (i == most_streams) {
      i = 0;
      found.ordered = found.ordered && stream.knows(a->used[0]);  // forgotten, so the next user answers for it
    } else if (i == a->streams) {
      ++a->streams;
    }
    a->used[i] = use;
    return found;
  }
  /// The position of an address that a stream of copies writes; whether the stream waits for all that use the memory.
  allocation_range copied_to(void const* at, simulated_stream& stream) {
    locked const hold(*this);
    allocation* const a = holder(at);
    if (a == nullptr) return {};
    allocation_range found = range_of(a, at);
    found.ordered = stream.knows(a->made) && stream.knows(a->copied);
    for (int i = 0; i < a->streams; ++i) found.ordered = found.ordered && stream.knows(a->used[i]);
    a->copied = stream.next();
    a->streams = 0;
    return found;
  }
  /// Whether any of these bytes is in an allocation.
  bool overlaps(void const* at, std::size_t bytes) {
    locked const hold(*this);
    for (allocation* a = first_; a != nullptr; a = a->next)
      if (address(at) < address(data(a)) + a->bytes && address(data(a)) < address(at) + bytes) return true;
    return false;
  }
  /// An allocation whose guard bytes were overwritten since the last call that reported it.
  allocation_range damaged() {
    locked const hold(*this);
    for (allocation* a = first_; a != nullptr; a = a->next)
      if (!intact(a)) {
        guard(a);
        return {true, 0, a->bytes};
      }
    return {};
  }

 private:
  static constexpr int most_streams = 4;
  /// A part of an allocation that devices have exchanged.
  struct exchanged_part {
    exchanged_part* next;
    std::size_t first, bytes;
    simulated_work work;
  };
  /// The header of an allocation, `margin` bytes before its memory. Guard bytes fill the gap, and `margin` bytes behind
  /// the memory.
  struct allocation {
    allocation *last, *next;
    std::size_t bytes;
    void const* owner;
    simulated_work made, copied;  // by the stream that allocated it, and by the last copy of another stream
    simulated_work used[static_cast<std::size_t>(most_streams)];  // the last use of each stream since that copy
    int streams;
    int device;
    exchanged_part* exchanged;
  };
  static constexpr std::size_t margin = 256, front = margin - sizeof(allocation);
  static constexpr unsigned char mark = 0xa5;

  /// Holds the lock. Including <mutex> would cost every program 0.2 s of compile time.
  struct locked {
    explicit locked(simulated_device_memory& m) : memory(m) {
      while (__atomic_exchange_n(&memory.busy_, true, __ATOMIC_ACQUIRE)) {}
    }
    ~locked() { __atomic_store_n(&memory.busy_, false, __ATOMIC_RELEASE); }
    locked(locked const&) = delete;
    locked& operator=(locked const&) = delete;
    simulated_device_memory& memory;
  };

  static unsigned char* data(allocation* a) { return reinterpret_cast<unsigned char*>(a) + margin; }
  static std::uintptr_t address(void const* at) { return reinterpret_cast<std::uintptr_t>(at); }

  static allocation_range range_of(allocation* a, void const* at) {
    allocation_range found{true, address(at) - address(data(a)), a->bytes};
    found.device = a->device;
    return found;
  }
  allocation* holder(void const* at) const {
    for (allocation* a = first_; a != nullptr; a = a->next)
      if (address(at) - address(data(a)) <= a->bytes) return a;
    return nullptr;
  }
  void unlink(allocation* a) {
    if (a->last != nullptr) a->last->next = a->next;
    else first_ = a->next;
    if (a->next != nullptr) a->next->last = a->last;
    while (a->exchanged != nullptr) {
      exchanged_part* const part = a->exchanged;
      a->exchanged = part->next;
      delete part;
    }
#if defined(ESPALIER_FIBERS_UNDER_ADDRESS_SANITIZER)
    __asan_unpoison_memory_region(a, a->bytes + 2 * margin);
#endif
    ::operator delete (static_cast<void*>(a), std::align_val_t{256});
  }

  // The address sanitizer checks each access; without it, changed guard bytes reveal a write later.
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
    // The first byte is the mark, and each byte equals its neighbour.
    return before[0] == mark && std::memcmp(before, before + 1, front - 1) == 0 && behind[0] == mark &&
           std::memcmp(behind, behind + 1, margin - 1) == 0;
  }
#endif

  allocation* first_ = nullptr;
  bool busy_ = false;
};

/// Never destroyed: tensors of static storage release their memory after main has returned.
inline constinit simulated_device_memory simulated_memory{};

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
