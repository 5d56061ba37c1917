// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/sentence.hpp"
#include "../storage/device.hpp"

namespace espalier::detail {

/// Named relation: a reader on Device can access the tensors, because they lie on the host or on Device itself.
template <class Device, class... OfTensors>
struct reachable {
  ESPALIER_READS("computing on {}, got tensors of {...}")
  static constexpr bool agree = ((std::is_same_v<OfTensors, cpu> || std::is_same_v<OfTensors, Device>)&&...);
};
#define ESPALIER_REACHABLE \
  "the tensor is in the memory of another device; pass a tensor on the host or on the model's device"
/// The device in whose memory another one computes: itself, unless it is specialized.
template <class Device>
struct memory_device {
  using type = Device;
};
template <class Device, class... X>
using reaches = reachable<typename memory_device<Device>::type, typename std::remove_cvref_t<X>::device_type...>;

/// A constraint that errors name: the device computes in memory of the host.
template <class Device>
struct computes_on_host {
  static constexpr bool agree = !is_graphics<Device>;
};
#define ESPALIER_BYTES_OF_HOST \
  "the bytes are in host memory; on a graphics processor this object allocates its own memory"

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
