// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../batch_slots.hpp"
#include "library/default_backend.hpp"
#include "tensor/device_block.hpp"
#include "tensor/device_view.hpp"

namespace espalier {

namespace on_cuda {

/// Memory for batches that are copied to a graphics processor while it computes (on_device::host_batch_slots describes
/// the interface). A slot has the same bytes in page-locked memory of the host and on the device, and one copy sends
/// them. Copies run on a stream of their own: a copy waits for the work that last used its slot, and later work waits
/// for the copy. Neither waits for the host.
/// memory  an allocation on the device for each slot and one of page-locked memory, at construction
/// errors  cuda_error: those of CUDA's calls; before_use() and after_use() while a graph is captured on the stream of
///         the device's default backend
template <class Device>
class batch_slots {
  using Backend = backend_of<Device>;

 public:
  batch_slots(int slots, std::size_t bytes)
      : backend_{&default_backend<Device>()},
        bytes_{bytes},
        stride_{espalier::detail::aligned_bytes(bytes)},
        host_memory_{*backend_, static_cast<std::size_t>(slots) * stride_},
        copies_{*backend_, slots} {
    for (int slot = 0; slot < slots; ++slot) {
      device_memory_[slot] = device_block<Backend>::unfilled(*backend_, bytes);
      copies_.after_use(slot, *backend_);  // the allocation is work of the stream, too: the first copy waits for it
    }
  }

  void begin_thread() { copies_.begin_thread(); }
  /// Waits until the host may overwrite a slot.
  void wait_until_sent(int slot) { copies_.wait_until_sent(slot); }
  unsigned char* host(int slot) const { return host_memory_.at(static_cast<std::size_t>(slot) * stride_); }
  void send(int slot) { copies_.send(slot, device(slot), host(slot), bytes_); }
  void before_use(int slot) {
    check_not_capturing();
    copies_.before_use(slot, *backend_);
  }
  void after_use(int slot) {
    check_not_capturing();
    copies_.after_use(slot, *backend_);
  }
  void finish() noexcept { copies_.finish(); }
  template <class T, class S>
  view<T const, S, Device> view_at(int slot, std::size_t offset) const {
    return {reinterpret_cast<T const*>(device(slot) + offset), reinterpret_cast<T const*>(host(slot) + offset)};
  }

 private:
  unsigned char* device(int slot) const { return device_memory_[slot].template at<unsigned char>(0); }
  void check_not_capturing() const {
    if constexpr (requires { backend_->capturing(); })
      if (backend_->capturing())
        detail::throw_error<cuda_error>(
            "prefetcher: a batch was taken or left while a graph is captured on the device's stream; end the capture "
            "first");
  }

  Backend* backend_;
  std::size_t bytes_, stride_;
  device_block<Backend> device_memory_[static_cast<std::size_t>(on_device::most_slots)];
  staging_block<Backend> host_memory_;
  typename Backend::copy_stream copies_;
};

}  // namespace on_cuda

namespace detail {
template <class Device>
  requires(is_graphics<Device>&& on_one_device<Device>::agree)
struct batch_slots_of<Device> {
  using type = on_cuda::batch_slots<Device>;
};
}  // namespace detail

}  // namespace espalier
#include "../../base/diagnostics_pop.hpp"
