// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The device that tests of devices run on: one that this processor plays, or -DESPALIER_TEST_DEVICE=espalier::cuda.
#include <espalier.hpp>
#if defined(ESPALIER_TEST_DEVICE)
#include <espalier/cuda.hpp>

#include "../cuda/device.hpp"
#else
#include <espalier/simulated_cuda.hpp>
#define ESPALIER_TEST_DEVICE espalier::simulated_cuda
#endif

namespace test {

using device = ESPALIER_TEST_DEVICE;
using machine = espalier::on_cuda::machine_of<device>;

/// Whether machines share the device's memory, so that a model on one reads tensors of another: a played machine is a device of its own.
template <class Machine = machine>
inline constexpr bool machines_share_memory = requires(Machine& m) { m.wait_for(m); };

/// How many blocks of the device's memory were taken so far, where its machine counts them.
template <class Machine = machine>
long device_allocations(Machine& m = espalier::on_cuda::default_machine<device>()) {
  if constexpr (requires { m.allocations(); }) return static_cast<long>(m.allocations());
  else return 0;
}

/// Whether the device's machine counts what it launches.
template <class Machine = machine>
inline constexpr bool machine_counts_launches = requires(Machine& m) { m.launches(); };

}  // namespace test
