// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../storage/device.hpp"

namespace espalier::on_cuda {

/// The backend type that runs a device tag's kernels: backend_for<Device>::type. The header of a device specializes it.
template <class Device>
struct backend_for;
template <class Device>
using backend_of = typename backend_for<Device>::type;

/// The backend of a device's tensors and eager expressions, created at the first call. Only one thread at a time may
/// use it.
/// errors   those of the backend's constructor: no device
/// memory   never destroyed, so that a tensor of static storage can release its memory after main has returned
template <class Device>
backend_of<Device>& default_backend() {
  static backend_of<Device>& backend = *new backend_of<Device>;
  return backend;
}

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
