// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The device that tests of devices run on: a simulated one on the host, or -DESPALIER_TEST_DEVICE=espalier::cuda.
#include <espalier.hpp>
#if defined(ESPALIER_TEST_DEVICE)
#include <espalier/cuda.hpp>

#include "device/cuda/on_device/device.hpp"
#else
#include <espalier/simulated_cuda.hpp>
#define ESPALIER_TEST_DEVICE espalier::simulated_cuda
#endif

namespace test {

using device = ESPALIER_TEST_DEVICE;
using backend = espalier::on_cuda::backend_of<device>;

/// Whether machines share the device's memory, so that a model on one reads tensors of another: a played machine is a
/// device of its own.
template <class Backend = backend>
inline constexpr bool backends_share_memory = requires(Backend& m) {
  m.wait_for(m);
};

/// How many blocks of the device's memory were taken so far, where its machine counts them.
template <class Backend = backend>
long device_allocations(Backend& m = espalier::on_cuda::default_backend<device>()) {
  if constexpr (requires { m.allocations(); }) return static_cast<long>(m.allocations());
  else return 0;
}

/// Whether the device's machine counts what it launches.
template <class Backend = backend>
inline constexpr bool backend_counts_launches = requires(Backend& m) {
  m.launches();
};

}  // namespace test
