// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Tests of programs for several GPUs without one: esp::model<Net, esp::simulated_cuda_parallel<2>>. Programs, plans
/// and errors are those of <espalier/cuda_parallel.hpp>. Include it together with <espalier.hpp>.
#include "device/cuda/parallel_engine.hpp"
#include "device/cuda/simulator/simulated_collectives.hpp"
#include "simulated_cuda.hpp"

namespace espalier {

template <int Devices, std::size_t BucketBytes>
struct simulated_cuda_parallel {};

namespace detail {
template <int Devices, std::size_t BucketBytes>
struct storage_on<simulated_cuda_parallel<Devices, BucketBytes>> {
  static constexpr bool included = true;
};
}  // namespace detail
namespace on_cuda {
template <int Devices, std::size_t BucketBytes>
struct group_members<simulated_cuda_parallel<Devices, BucketBytes>> {
  using collectives = simulated_collectives;
  /// Simulated devices need no current one.
  struct scope {
    scope() {}
    void use(int) const {}
  };
  static constexpr int count = Devices > 0 ? Devices : 1;  // the model reports another number
  static constexpr std::size_t bucket_bytes = BucketBytes;
  static simulated_backend* make(int k) { return new simulated_backend(0, true, true, k); }
};
template <int Devices, std::size_t BucketBytes>
struct backend_for<simulated_cuda_parallel<Devices, BucketBytes>> {
  using type = device_group<simulated_cuda_parallel<Devices, BucketBytes>>;
};
}  // namespace on_cuda

}  // namespace espalier
#include "base/diagnostics_pop.hpp"
