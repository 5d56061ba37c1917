// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <type_traits>

#include "cuda_backend.hpp"
#include "cuda_device_scope.hpp"
#include "nccl_call.hpp"

namespace espalier::on_cuda {

namespace detail {

template <class T>
inline constexpr ncclDataType_t nccl_type = std::is_same_v<T, double>     ? ncclFloat64
                                            : std::is_same_v<T, half>     ? ncclFloat16
                                            : std::is_same_v<T, bfloat16> ? ncclBfloat16
                                                                          : ncclFloat32;

}  // namespace detail

/// Exchanges among the graphics processors of one process by NCCL (Collectives). Each device has a communicator and a
/// stream for it. NCCL gives every device the same bits.
/// memory   two events for each device, and what NCCL allocates for its channels, at construction
/// errors   cuda_error that names the call of NCCL or of the CUDA runtime. A link that fails while an exchange runs is
///          reported by a later call, or the exchange does not end: NCCL's environment variables (NCCL_DEBUG=INFO) show
///          more
/// threads  that of the backends
class nccl_collectives {
 public:
  nccl_collectives(cuda_backend* const* backends, int devices)
      : devices_{devices}, of_(new device[static_cast<std::size_t>(devices)]) {
    guard unfinished{this};
    cuda_device_scope const current;
    for (int k = 0; k < devices; ++k) {
      device& d = of_[k];
      d.backend = backends[k];
      current.use(d.backend->device());
      // Processors of one process may read each other's buffers, but memory of a pool is theirs only with permission.
      for (int other = 0; other < devices; ++other)
        if (other != k) d.backend->allow_access_from(backends[other]->device());
      detail::check(cudaStreamCreateWithFlags(&d.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags",
                    "exchanges of device %d", d.backend->device());
      for (cudaEvent_t* event : {&d.queued, &d.done})
        detail::check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    }
    int* const numbers = new int[static_cast<std::size_t>(devices)];
    for (int k = 0; k < devices; ++k) numbers[k] = backends[k]->device();
    communicators_ = new ncclComm_t[static_cast<std::size_t>(devices)]{};
    ncclResult_t const made = ncclCommInitAll(communicators_, devices, numbers);
    delete[] numbers;
    detail::check(made, "ncclCommInitAll", "%d devices", devices);
    unfinished.of = nullptr;
  }
  nccl_collectives(nccl_collectives const&) = delete;
  nccl_collectives& operator=(nccl_collectives const&) = delete;
  ~nccl_collectives() { release(); }

  void after(int k) {
    device& d = of_[k];
    detail::check(cudaEventRecord(d.queued, d.backend->stream()), "cudaEventRecord", "device %d", d.backend->device());
    detail::check(cudaStreamWaitEvent(d.stream, d.queued, 0), "cudaStreamWaitEvent", "device %d", d.backend->device());
  }
  void before(int k) {
    device& d = of_[k];
    detail::check(cudaEventRecord(d.done, d.stream), "cudaEventRecord", "device %d", d.backend->device());
    detail::check(cudaStreamWaitEvent(d.backend->stream(), d.done, 0), "cudaStreamWaitEvent", "device %d",
                  d.backend->device());
  }
  void begin() {
    detail::check(ncclGroupStart(), "ncclGroupStart");
    open_ = true;
  }
  void end() {
    open_ = false;
    detail::check(ncclGroupEnd(), "ncclGroupEnd", "an exchange among %d devices", devices_);
  }
  template <class T>
  void average(int k, T* at, std::int64_t count) {
    checked(ncclAllReduce(at, at, static_cast<std::size_t>(count), detail::nccl_type<T>, ncclAvg, communicators_[k],
                          of_[k].stream),
            "ncclAllReduce", k, count);
  }
  template <class T>
  void broadcast(int k, T* at, std::int64_t count) {
    checked(ncclBroadcast(at, at, static_cast<std::size_t>(count), detail::nccl_type<T>, 0, communicators_[k],
                          of_[k].stream),
            "ncclBroadcast", k, count);
  }

 private:
  struct device {
    cuda_backend* backend = nullptr;
    cudaStream_t stream = nullptr;
    cudaEvent_t queued = nullptr, done = nullptr;
  };
  /// Releases what a constructor that throws has made.
  struct guard {
    nccl_collectives* of;
    ~guard() {
      if (of != nullptr) of->release();
    }
  };
  /// A call that fails leaves no group open, or later calls would wait for its end.
  void checked(ncclResult_t status, char const* call, int k, std::int64_t count) {
    if (status == ncclSuccess) [[likely]]
      return;
    if (open_) (void)ncclGroupEnd();
    open_ = false;
    detail::check(status, call, "%lld elements of device %d", static_cast<long long>(count), of_[k].backend->device());
  }
  void release() noexcept {
    for (int k = 0; communicators_ != nullptr && k < devices_; ++k)
      if (communicators_[k] != nullptr) (void)ncclCommDestroy(communicators_[k]);
    delete[] communicators_;
    for (int k = 0; k < devices_; ++k) {
      for (cudaEvent_t const event : {of_[k].queued, of_[k].done})
        if (event != nullptr) (void)cudaEventDestroy(event);
      if (of_[k].stream != nullptr) (void)cudaStreamDestroy(of_[k].stream);
    }
    delete[] of_;
  }

  int devices_;
  device* of_;
  ncclComm_t* communicators_ = nullptr;
  bool open_ = false;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
