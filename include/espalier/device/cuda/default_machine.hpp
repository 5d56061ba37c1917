// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../storage/device.hpp"
#include "device_block.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// The machine that runs a device tag's kernels: machine_for<Device>::type. The header of a device specializes it.
template <class Device>
struct machine_for;
template <class Device>
using machine_of = typename machine_for<Device>::type;

/// The machine that tensors and eager expressions of a device use, made where it is first asked for. One thread uses it at a time.
/// errors   those of the machine's construction: no device
/// memory   it is never destroyed, so that a tensor of static storage can give its memory back after main has returned
template <class Device>
machine_of<Device>& default_machine() {
  static machine_of<Device>& machine = *new machine_of<Device>;
  return machine;
}

/// At least so many bytes of workspace on the default machine, kept for the next call: what is there may be written over by the next expression.
template <class Device>
void* default_workspace(std::size_t bytes) {
  static device_block<machine_of<Device>>& kept = *new device_block<machine_of<Device>>;
  if (kept.bytes() < bytes) {
    kept = {};
    kept = {default_machine<Device>(), bytes + bytes / 2};
  }
  return kept.template at<void>(0);
}

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
