// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>

#include "cuda_call.hpp"

namespace espalier::on_cuda {

/// Measures the times between points of a stream, by events: the host does not wait between two points.
/// errors  cuda_error, also of what ran between two points
class event_clock {
 public:
  explicit event_clock(cudaStream_t stream) : stream_{stream} {}
  template <class Backend>
  explicit event_clock(Backend const& backend) : stream_{backend.stream()} {}
  event_clock(event_clock const&) = delete;
  event_clock& operator=(event_clock const&) = delete;
  ~event_clock() {
    for (std::size_t i = 0; i < made_; ++i) (void)cudaEventDestroy(events_[i]);
    delete[] events_;
  }
  /// Forgets all points.
  void restart() { used_ = 0; }
  /// Queues a point.
  void mark() {
    if (used_ == made_) {
      if (made_ == room_) grow();
      detail::check(cudaEventCreate(&events_[made_]), "cudaEventCreate");
      ++made_;
    }
    detail::check(cudaEventRecord(events_[used_++], stream_), "cudaEventRecord");
  }
  /// The seconds between points i and i + 1, for i of 0 to count - 1. Waits for the last of these points.
  void read(double* seconds, std::size_t count) const {
    detail::check(cudaEventSynchronize(events_[count]), "cudaEventSynchronize");
    for (std::size_t i = 0; i < count; ++i) {
      float milliseconds = 0;
      detail::check(cudaEventElapsedTime(&milliseconds, events_[i], events_[i + 1]), "cudaEventElapsedTime");
      seconds[i] = static_cast<double>(milliseconds) * 1e-3;
    }
  }

 private:
  void grow() {
    std::size_t const more = room_ == 0 ? 64 : 2 * room_;
    auto* const events = new cudaEvent_t[more];
    for (std::size_t i = 0; i < made_; ++i) events[i] = events_[i];
    delete[] events_;
    events_ = events;
    room_ = more;
  }
  cudaStream_t stream_;
  cudaEvent_t* events_ = nullptr;
  std::size_t room_ = 0, made_ = 0, used_ = 0;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
