// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <type_traits>

#include "../base/bare.hpp"
#include "../base/sentence.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// The device tag of the processor this program runs on.
struct cpu {};

/// The device tag of several threads of this processor, `Threads` in all, the caller among them: esp::model<Net, esp::cpu_parallel<2>>. They share the
/// host's memory, so tensors stay tensor<T, S>; <espalier/parallel.hpp> brings the threads.
template <int Threads>
struct cpu_parallel {};

/// The device tag of a graphics processor; <espalier/cuda.hpp> brings it.
struct cuda;

/// The device tag of a graphics processor that this processor plays, thread by thread, to test with; <espalier/simulated_cuda.hpp> brings it.
struct simulated_cuda;

namespace detail {
/// A device with memory of its own, which the host reaches by copies alone.
template <class Device>
inline constexpr bool is_graphics = std::is_same_v<Device, cuda> || std::is_same_v<Device, simulated_cuda>;

template <class Device>
inline constexpr bool is_parallel = false;
template <int Threads>
inline constexpr bool is_parallel<cpu_parallel<Threads>> = true;

/// A fact for a refusal: holds for devices whose storage this translation unit has; the header of a device specializes it.
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
  ESPALIER_READS("given {}")
  static constexpr bool agree = Threads >= 1 && Threads <= 64;
};

template <class X>
concept marked_tensor = requires { typename X::is_tensor; };
template <class X>
concept marked_view = requires { typename X::is_view; };

template <class E>
struct device_of_impl {
  using type = void;
};
template <class E>
  requires marked_tensor<E> || marked_view<E>
struct device_of_impl<E> {
  using type = typename E::device_type;
};

/// Memory of two devices: what an expression that names both reads.
template <class A, class B>
struct two_devices {};
}  // namespace detail

/// The device whose memory a tensor, a view or an expression is in; void where it reads none.
template <class E>
using device_of = typename detail::device_of_impl<detail::bare<E>>::type;

/// Named relation: operands are in the memory of one device; copy one with tensor<T, S, cuda>(x) or x.to_host(). What reads no memory goes with all.
template <class A, class B>
struct same_device {
  ESPALIER_READS("{} and {}")
  static constexpr bool agree = std::is_same_v<A, B> || std::is_void_v<A> || std::is_void_v<B>;
};

namespace detail {
/// The device that all of these are on, and whether there is one.
template <class... Devices>
struct common_device {
  using type = void;
  using relation = same_device<void, void>;
};
template <class A, class... Rest>
struct common_device<A, Rest...> {
  using rest = common_device<Rest...>;
  using here = same_device<A, typename rest::type>;
  using relation = std::conditional_t<rest::relation::agree, here, typename rest::relation>;  // names two devices that differ
  using type = std::conditional_t<std::is_void_v<A>, typename rest::type, std::conditional_t<here::agree, A, two_devices<A, typename rest::type>>>;
};
/// Whether an expression that is on this device names no other one.
template <class Device>
struct one_device {
  using relation = same_device<Device, Device>;
};
template <class A, class B>
struct one_device<two_devices<A, B>> {
  using relation = same_device<A, B>;
};
/// Where what reads no memory is computed.
template <class Device>
using device_or_cpu = std::conditional_t<std::is_void_v<Device>, cpu, Device>;
}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
