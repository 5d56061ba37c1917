// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Training by several processes, each on an NVIDIA GPU: esp::model<Net, esp::distributed<esp::cuda>>. Include it
/// together with <espalier.hpp> and <espalier/mpi.hpp>. It needs NCCL: its header nccl.h, and the library nccl for the
/// linker.
#include "cuda.hpp"
#include "device/cuda/distributed_engine.hpp"
#include "device/cuda/library/nccl_peers.hpp"
#include "distributed.hpp"

namespace espalier {

namespace detail {
template <std::size_t BucketBytes>
struct storage_on<distributed<cuda, BucketBytes>> {
  static constexpr bool included = true;
};
}  // namespace detail
namespace on_cuda {
template <>
struct process_members<cuda> {
  using peers = nccl_peers;
  static constexpr bool has_own_backend = false;
  /// That of this process's tensors, on the device that becomes current.
  static cuda_backend& main_backend(processes const& all) {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return default_backend<cuda>();  // its error says so
    int const number = detail::device_of(all, count);
    detail::check(cudaSetDevice(number), "cudaSetDevice", "device %d", number);
    cuda_backend& backend = default_backend<cuda>();
    if (backend.device() != number)
      detail::throw_error<cuda_error>(
          "process %d of %d: its tensors are on graphics processor %d already, and its model would be on %d; construct "
          "the model first, or choose with processes.set_device(number)",
          all.rank(), all.size(), backend.device(), number);
    return backend;
  }
  static cuda_backend* next_to(cuda_backend const&) { return new cuda_backend; }
};
}  // namespace on_cuda

}  // namespace espalier
#include "base/diagnostics_pop.hpp"
