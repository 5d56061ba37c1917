// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../distributed/from_first_process.hpp"
#include "../peers.hpp"
#include "cuda_backend.hpp"
#include "nccl_call.hpp"

namespace espalier::on_cuda {

/// Exchanges with the graphics processors of other processes by NCCL (Peers), which only moves bytes: the order of sums
/// is not its own. The id of the communicator travels by the processes. The host never waits in a call of NCCL, but for
/// at most the time limit of the processes.
/// memory   an event, and what NCCL allocates for its channels: at construction, and for connections at the first use
/// errors   distributed_error that names the call of NCCL, or the process that has ended or has not answered. The
///          communicator is then aborted, so that nothing is left under way. cuda_error of the CUDA runtime
/// threads  that of the backends
class nccl_peers {
 public:
  nccl_peers(cuda_backend&, cuda_backend& on, processes& all) : on_{&on}, all_{&all} {
    giving_up unfinished{this};
    detail::check(cudaEventCreateWithFlags(&done_, cudaEventDisableTiming), "cudaEventCreateWithFlags");
    ncclUniqueId id{};
    if (all.rank() == 0) settle(ncclGetUniqueId(&id), "ncclGetUniqueId");
    on_device::from_first_process(all, id);
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    settle(ncclCommInitRankConfig(&communicator_, all.size(), id, all.rank(), &config), "ncclCommInitRankConfig");
    unfinished.of = nullptr;
  }
  nccl_peers(nccl_peers const&) = delete;
  nccl_peers& operator=(nccl_peers const&) = delete;
  ~nccl_peers() { release(); }

  void set_step(std::int64_t step) { step_ = step; }
  bool has_failed() const { return communicator_ == nullptr; }

  template <class T>
  void scatter(T const* from, T* slots, std::int64_t each, std::int64_t size) {
    giving_up unfinished{this};
    int const me = all_->rank();
    std::size_t const own = bytes_of<T>(detail::part_of(size, each, me));
    together("ncclSend and ncclRecv", [&](ncclResult_t& status) {
      for (int k = 0; k < all_->size(); ++k) {
        if (k == me) continue;
        std::size_t const other = bytes_of<T>(detail::part_of(size, each, k));
        if (other > 0) add(status, ncclSend(from + each * k, other, ncclInt8, k, communicator_, on_->stream()));
        if (own > 0) add(status, ncclRecv(slots + each * k, own, ncclInt8, k, communicator_, on_->stream()));
      }
    });
    unfinished.of = nullptr;
  }
  template <class T>
  void gather(T* slots, std::int64_t each, T* to, std::int64_t size) {
    giving_up unfinished{this};
    settle(ncclAllGather(slots + each * all_->rank(), slots, bytes_of<T>(each), ncclInt8, communicator_, on_->stream()),
           "ncclAllGather");
    on_->copy(to, slots, bytes_of<T>(size));
    unfinished.of = nullptr;
  }
  void wait() {
    giving_up unfinished{this};
    detail::check(cudaEventRecord(done_, on_->stream()), "cudaEventRecord");
    all_->wait_until(
        [&] {
          cudaError_t const status = cudaEventQuery(done_);
          if (status == cudaSuccess) return true;
          if (status != cudaErrorNotReady) detail::check(status, "cudaEventQuery", "an exchange between processes");
          (void)cudaGetLastError();
          ncclResult_t const state = state_of_exchanges();
          if (state != ncclSuccess && state != ncclInProgress) fail(state, "an exchange");
          return false;
        },
        step_);
    unfinished.of = nullptr;
  }

 private:
  /// Aborts what is under way if an exception leaves a call.
  struct giving_up {
    nccl_peers* of;
    ~giving_up() {
      if (of != nullptr) of->release();
    }
  };
  template <class T>
  static std::size_t bytes_of(std::int64_t elements) {
    return static_cast<std::size_t>(elements) * sizeof(T);
  }
  static void add(ncclResult_t& first, ncclResult_t status) {
    if (first == ncclSuccess && status != ncclInProgress) first = status;
  }
  /// The calls are one exchange. A call that fails leaves no group open.
  template <class Calls>
  void together(char const* name, Calls const& calls) {
    ncclResult_t status = ncclGroupStart();
    if (status != ncclSuccess) fail(status, "ncclGroupStart");
    calls(status);
    ncclResult_t const end = ncclGroupEnd();
    if (status != ncclSuccess) fail(status, name);
    settle(end, "ncclGroupEnd");
  }
  ncclResult_t state_of_exchanges() {
    ncclResult_t state = ncclSuccess;
    ncclResult_t const status = ncclCommGetAsyncError(communicator_, &state);
    return status != ncclSuccess ? status : state;
  }
  /// A call of a communicator that does not block may still be on its way: waits until it is queued.
  void settle(ncclResult_t status, char const* call) {
    if (status == ncclInProgress)
      all_->wait_until(
          [&] {
            status = state_of_exchanges();
            return status != ncclInProgress;
          },
          step_);
    if (status != ncclSuccess) fail(status, call);
  }
  [[noreturn]] void fail(ncclResult_t status, char const* call) const {
    espalier::detail::error_text text;
    text << "process " << all_->rank() << " of " << all_->size() << ": " << call << ": " << ncclGetErrorString(status);
    if (char const* const more = detail::last_nccl_error()) text << "; " << more;
    espalier::detail::raise(distributed_error{text});
  }
  /// Never waits for other processes, as ncclCommDestroy may.
  void release() noexcept {
    if (communicator_ != nullptr) {
      (void)ncclCommAbort(communicator_);
      communicator_ = nullptr;
    }
    if (done_ != nullptr) {
      if (cudaStreamSynchronize(on_->stream()) != cudaSuccess) (void)cudaGetLastError();
      (void)cudaEventDestroy(done_);
      done_ = nullptr;
    }
  }

  cuda_backend* on_;
  processes* all_;
  cudaEvent_t done_ = nullptr;
  ncclComm_t communicator_ = nullptr;
  std::int64_t step_ = 0;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
