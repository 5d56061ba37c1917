// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Tests of programs for the GPUs of several processes without one: esp::model<Net,
/// esp::distributed<esp::simulated_cuda>>. Programs, plans and errors are those of <espalier/cuda_distributed.hpp>.
/// Include it together with <espalier.hpp>.
#include "device/cuda/distributed_engine.hpp"
#include "device/cuda/simulator/simulated_peers.hpp"
#include "distributed.hpp"
#include "simulated_cuda.hpp"

namespace espalier {

namespace detail {
template <std::size_t BucketBytes>
struct storage_on<distributed<simulated_cuda, BucketBytes>> {
  static constexpr bool included = true;
};
}  // namespace detail
namespace on_cuda {
template <>
struct process_members<simulated_cuda> {
  using peers = simulated_peers;
  static constexpr bool has_own_backend = true;
  static simulated_backend& main_backend(processes const& all) {
    return *new simulated_backend(0, true, true, all.device());
  }
  static simulated_backend* next_to(simulated_backend const& main) {
    return new simulated_backend(0, true, true, main.device());
  }
};
}  // namespace on_cuda

}  // namespace espalier
#include "base/diagnostics_pop.hpp"
