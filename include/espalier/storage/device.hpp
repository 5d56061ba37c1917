// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <type_traits>

namespace espalier {

/// The device tag of the processor this program runs on.
struct cpu {};

/// The device tag of several threads of this processor, `Threads` in all, the caller among them: esp::model<Net, esp::cpu_parallel<2>>. They share the
/// host's memory, so tensors stay tensor<T, S>; <espalier/parallel.hpp> brings the threads.
template <int Threads>
struct cpu_parallel {};

/// The device tag of a graphics processor; <espalier/cuda.hpp> completes it.
struct cuda;

namespace detail {
template <class Device>
inline constexpr bool is_parallel = false;
template <int Threads>
inline constexpr bool is_parallel<cpu_parallel<Threads>> = true;

/// A fact for a refusal: holds for devices whose storage this translation unit has.
template <class Device>
struct storage_on {
  static constexpr bool included = std::is_same_v<Device, cpu> || is_parallel<Device>;
};
/// A fact for a refusal: the device has memory of its own.
template <class Device>
struct memory_of {
  static constexpr bool exists = !is_parallel<Device>;
};
/// A fact for a refusal: as many threads as there can be.
template <class Device>
struct thread_count {
  static constexpr bool agree = true;
};
template <int Threads>
struct thread_count<cpu_parallel<Threads>> {
  static constexpr bool agree = Threads >= 1 && Threads <= 64;
};
}  // namespace detail

}  // namespace espalier
