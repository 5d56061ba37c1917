// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Training on several NVIDIA GPUs of one machine: esp::model<Net, esp::cuda_parallel<2>>. Include it together with
/// <espalier.hpp>. It needs NCCL: its header nccl.h, and the library nccl for the linker.
#include "cuda.hpp"
#include "device/cuda/library/nccl_collectives.hpp"
#include "device/cuda/parallel_engine.hpp"

namespace espalier {

template <int Devices, std::size_t BucketBytes>
struct cuda_parallel {};

namespace detail {
template <int Devices, std::size_t BucketBytes>
struct storage_on<cuda_parallel<Devices, BucketBytes>> {
  static constexpr bool included = true;
};
}  // namespace detail
namespace on_cuda {
template <int Devices, std::size_t BucketBytes>
struct group_members<cuda_parallel<Devices, BucketBytes>> {
  using collectives = nccl_collectives;
  using scope = cuda_device_scope;
  static constexpr int count = Devices > 0 ? Devices : 1;  // the model reports another number
  static constexpr std::size_t bucket_bytes = BucketBytes;
  static cuda_backend* make(int) { return new cuda_backend; }
};
template <int Devices, std::size_t BucketBytes>
struct backend_for<cuda_parallel<Devices, BucketBytes>> {
  using type = device_group<cuda_parallel<Devices, BucketBytes>>;
};
}  // namespace on_cuda

}  // namespace espalier
#include "base/diagnostics_pop.hpp"
