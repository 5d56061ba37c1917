// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Training by several processes, whichever way they exchange bytes: esp::model<Net, esp::distributed<>>. Include it
/// together with <espalier.hpp>, or <espalier/mpi.hpp>, which includes it.
#include "device/distributed/all_reduce.hpp"
#include "device/distributed/distributed_engine.hpp"
#include "model/gradient_average.hpp"

namespace espalier::detail {

template <class Device, std::size_t BucketBytes>
struct storage_on<distributed<Device, BucketBytes>> {
  // A graphics processor has a header of its own for its exchange; a group does not compile for another reason.
  static constexpr bool included = (!is_graphics<Device> || is_device_group<Device>)&&storage_on<Device>::included;
};

}  // namespace espalier::detail
#include "base/diagnostics_pop.hpp"
