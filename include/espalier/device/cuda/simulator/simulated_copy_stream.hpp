// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstring>

#include "../error.hpp"
#include "simulated_device_memory.hpp"

namespace espalier::on_cuda {

/// Simulates a stream for copies to slots of the device (cuda_copy_stream). A copy is done as late as its users permit:
/// when something waits for it. Until then the slot holds bytes of ones (NaN, labels of -1), and memory of the host
/// that was overwritten too early is copied as it is then.
/// errors  cuda_error for a copy to memory that other streams use or have allocated, unless the copy waits for them;
///          for
///         a slot that is sent again before the host has waited for its last copy. A launch that reads the memory
///         without waiting for the copy throws, too (simulated_backend)
class simulated_copy_stream {
 public:
  template <class Backend>
  simulated_copy_stream(Backend&, int slots) : slots_{new slot[static_cast<std::size_t>(slots)]}, count_{slots} {}
  simulated_copy_stream(simulated_copy_stream const&) = delete;
  simulated_copy_stream& operator=(simulated_copy_stream const&) = delete;
  ~simulated_copy_stream() { delete[] slots_; }

  static void begin_thread() {}
  void send(int which, void* to, void const* from, std::size_t bytes) {
    slot& s = slots_[which];
    if (s.on_its_way)
      detail::throw_error<cuda_error>(
          "simulated_copy_stream::send: slot %d, whose last copy may not be done; call wait_until_sent before you fill "
          "the slot again",
          which);
    stream_.wait_for(s.used);
    if (detail::simulated_memory.overlaps(from, bytes))
      detail::throw_error<cuda_error>(
          "simulated_copy_stream::send: %zu bytes from %p, which is memory of the device, not of the host", bytes,
          from);
    auto const range = detail::simulated_memory.copied_to(to, stream_);
    if (!range.found || bytes > range.bytes - range.first)
      detail::throw_error<cuda_error>(
          "simulated_copy_stream::send: %zu bytes to %p, which is not as much memory of this device", bytes, to);
    if (!range.ordered)
      detail::throw_error<cuda_error>(
          "simulated_copy_stream::send: %zu bytes to %p, which another stream uses; the copy must wait for its event",
          bytes, to);
    if (bytes > 0) std::memset(to, 0xff, bytes);
    s.to = to;
    s.from = from;
    s.bytes = bytes;
    s.on_its_way = true;
    s.sent = stream_.event();
  }
  void wait_until_sent(int which) {
    run(slots_[which]);
    slots_[which].on_its_way = false;
  }
  template <class Backend>
  void before_use(int which, Backend& backend) {
    backend.stream().wait_for(slots_[which].sent);
    run(slots_[which]);
  }
  template <class Backend>
  void after_use(int which, Backend& backend) {
    slots_[which].used = backend.stream().event();
  }
  void finish() noexcept {
    for (int i = 0; i < count_; ++i) run(slots_[i]);
  }

 private:
  struct slot {
    void* to = nullptr;
    void const* from = nullptr;
    std::size_t bytes = 0;
    bool on_its_way = false;  // the host does not know that the copy is done
    detail::stream_clock sent, used;
  };
  static void run(slot& s) noexcept {
    if (s.bytes > 0) std::memcpy(s.to, s.from, s.bytes);
    s.bytes = 0;
  }
  detail::simulated_stream stream_;
  slot* slots_;
  int count_;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
