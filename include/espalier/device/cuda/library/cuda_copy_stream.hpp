// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>

#include "cuda_call.hpp"

namespace espalier::on_cuda {

/// A stream of its own for copies from page-locked memory to slots of the device, which overlap with the kernels of a
/// backend. Events order both: a copy begins after the last work that used its slot, and work begins after the copy.
/// One thread sends, and one uses; they hand slots over to each other.
/// memory  two events for each slot, at construction
/// errors  cuda_error
class cuda_copy_stream {
 public:
  template <class Backend>
  cuda_copy_stream(Backend& backend, int slots) : device_{backend.device()}, slots_{slots} {
    guard unfinished{this};
    detail::check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags",
                  "copies of batches");
    events_ = new cudaEvent_t[2 * static_cast<std::size_t>(slots)]{};
    for (int i = 0; i < 2 * slots; ++i)
      detail::check(cudaEventCreateWithFlags(&events_[i], cudaEventDisableTiming), "cudaEventCreateWithFlags");
    unfinished.stream = nullptr;
  }
  cuda_copy_stream(cuda_copy_stream const&) = delete;
  cuda_copy_stream& operator=(cuda_copy_stream const&) = delete;
  ~cuda_copy_stream() { release(); }

  /// The thread that sends calls this first: each thread has a current device of its own.
  void begin_thread() const { detail::check(cudaSetDevice(device_), "cudaSetDevice", "device %d", device_); }
  /// Queues a copy behind the last use of the slot.
  void send(int slot, void* to, void const* from, std::size_t bytes) {
    detail::check(cudaStreamWaitEvent(stream_, used(slot), 0), "cudaStreamWaitEvent");
    detail::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_), "cudaMemcpyAsync",
                  "%zu bytes of a batch to the device", bytes);
    detail::check(cudaEventRecord(sent(slot), stream_), "cudaEventRecord");
  }
  /// Makes the host wait until the copy from a slot is done.
  void wait_until_sent(int slot) {
    detail::check(cudaEventSynchronize(sent(slot)), "cudaEventSynchronize", "a copy of a batch to the device");
  }
  /// Makes later work of the backend wait for the copy to a slot.
  template <class Backend>
  void before_use(int slot, Backend& backend) {
    detail::check(cudaStreamWaitEvent(backend.stream(), sent(slot), 0), "cudaStreamWaitEvent");
  }
  /// Makes the next copy to a slot wait for what is queued on the backend.
  template <class Backend>
  void after_use(int slot, Backend& backend) {
    detail::check(cudaEventRecord(used(slot), backend.stream()), "cudaEventRecord");
  }
  /// Waits for all copies; an error of theirs is dropped.
  void finish() noexcept {
    if (cudaStreamSynchronize(stream_) != cudaSuccess) (void)cudaGetLastError();
  }

 private:
  /// Releases what a constructor that throws has made.
  struct guard {
    cuda_copy_stream* stream;
    ~guard() {
      if (stream != nullptr) stream->release();
    }
  };
  cudaEvent_t sent(int slot) const { return events_[2 * slot]; }
  cudaEvent_t used(int slot) const { return events_[2 * slot + 1]; }
  void release() noexcept {
    if (stream_ != nullptr) finish();
    for (int i = 0; events_ != nullptr && i < 2 * slots_; ++i)
      if (events_[i] != nullptr) (void)cudaEventDestroy(events_[i]);
    delete[] events_;
    if (stream_ != nullptr) (void)cudaStreamDestroy(stream_);
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t* events_ = nullptr;
  int device_, slots_;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
