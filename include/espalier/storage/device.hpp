// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <type_traits>

namespace espalier {

/// The device tag of the processor this program runs on.
struct cpu {};

/// The device tag of a graphics processor; <espalier/cuda.hpp> completes it.
struct cuda;

namespace detail {
/// A fact for a refusal: holds for devices whose storage this translation unit has.
template <class Device>
struct storage_on {
  static constexpr bool included = std::is_same_v<Device, cpu>;
};
}  // namespace detail

}  // namespace espalier
