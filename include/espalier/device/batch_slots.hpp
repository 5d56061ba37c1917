// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "../storage/bounded_view.hpp"
#include "../storage/memory.hpp"
#include "aligned_bytes.hpp"

namespace espalier {

namespace on_device {

/// The most slots that a prefetcher has: a step's graph is captured once for each (device/cuda/step_graph.hpp).
inline constexpr int most_slots = 8;

/// Memory for batches that a thread prepares while a device computes with earlier ones. Two threads use it: one fills
/// slots and sends them, the other one uses them. They hand slots over to each other by semaphores of their own.
///
///     fills and sends                         uses
///     begin_thread()                          before_use(slot)   the device waits for the batch
///     wait_until_sent(slot)                   images(slot) ...   operands of what is queued
///     host(slot) is filled                    after_use(slot)    all uses are queued
///     send(slot)
///
/// These are the slots of a device that computes in memory of the host: the batch is where it was filled, and what is
/// queued has been done.
/// memory  one block of the host for each slot, at construction
class host_batch_slots {
 public:
  /// bytes: of one batch.
  host_batch_slots(int slots, std::size_t bytes)
      : stride_{espalier::detail::aligned_bytes(bytes)},
        memory_{static_cast<unsigned char*>(
            espalier::detail::allocate_aligned(static_cast<std::size_t>(slots) * stride_))} {}
  ~host_batch_slots() { espalier::detail::release_aligned(memory_); }
  host_batch_slots(host_batch_slots const&) = delete;
  host_batch_slots& operator=(host_batch_slots const&) = delete;

  static void begin_thread() {}
  static void wait_until_sent(int) {}
  /// The address of a slot on the host.
  unsigned char* host(int slot) const { return memory_ + static_cast<std::size_t>(slot) * stride_; }
  static void send(int) {}
  static void before_use(int) {}
  static void after_use(int) {}
  /// Waits for what was sent.
  static void finish() noexcept {}
  /// The elements at a byte offset of a slot, as the device reads them.
  template <class T, class S>
  view<T const, S> view_at(int slot, std::size_t offset) const {
    return view<T const, S>{reinterpret_cast<T const*>(host(slot) + offset)};
  }
  template <class T, class S>
  view<T const, S> view_at(int slot, std::size_t offset, std::int64_t count) const {
    return {reinterpret_cast<T const*>(host(slot) + offset), count};
  }

 private:
  std::size_t stride_;
  unsigned char* memory_;
};

}  // namespace on_device

namespace detail {

/// The slots of a device tag: batch_slots_of<Device>::type. Those of the host, unless the header of a device with its
/// own memory specializes it.
template <class Device>
struct batch_slots_of {
  using type = espalier::on_device::host_batch_slots;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
