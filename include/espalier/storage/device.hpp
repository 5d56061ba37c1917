// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstddef>
#include <type_traits>

#include "../base/bare.hpp"
#include "../base/build_mode.hpp"
#include "../base/sentence.hpp"
#include "element.hpp"

namespace espalier {

/// The device tag of the processor that this program runs on.
struct cpu {};

/// The device tag of `Threads` threads of this processor, including the caller: esp::model<Net, esp::cpu_parallel<2>>.
/// They share the host's memory, so tensors stay tensor<T, S>. Include <espalier/parallel.hpp> for the threads.
template <int Threads>
struct ESPALIER_BUILD_TAG cpu_parallel {};

/// The device tag of a graphics processor; include <espalier/cuda.hpp> to use it.
struct cuda;

/// The device tag of a graphics processor simulated on the host, thread by thread, for tests; include
/// <espalier/simulated_cuda.hpp> to use it.
struct simulated_cuda;

/// The device tag of the first `Devices` graphics processors of this machine, which train a model together (data
/// parallel): esp::model<Net, esp::cuda_parallel<2>>. Each has all parameters, and computes its part of a batch.
/// Include <espalier/cuda_parallel.hpp> to use it.
/// BucketBytes  gradients are exchanged in pieces of at least so many bytes while the backward pass continues. 25 MiB
///              is the default of PyTorch's DistributedDataParallel
template <int Devices, std::size_t BucketBytes = std::size_t{25} << 20>
struct cuda_parallel;

/// The same for simulated devices, for tests; include <espalier/simulated_cuda_parallel.hpp> to use it.
template <int Devices, std::size_t BucketBytes = std::size_t{25} << 20>
struct simulated_cuda_parallel;

/// The device tag of several processes that train a model together (data parallel), each with its own batches:
/// esp::model<Net, esp::distributed<>> model{seed, processes}. Each process has all parameters and computes on Device,
/// which is cpu, cpu_parallel<N> or cuda. Include <espalier/mpi.hpp> for processes that mpirun has started, and for
/// cuda <espalier/cuda_distributed.hpp>.
/// BucketBytes  gradients are exchanged in pieces of at least so many bytes while the backward pass continues: 256 KiB
///              if you say nothing, and 25 MiB between graphics processors
template <class Device = cpu,
          std::size_t BucketBytes = std::is_same_v<Device, cuda> || std::is_same_v<Device, simulated_cuda>
                                        ? std::size_t{25} << 20
                                        : std::size_t{1} << 18>
struct distributed {};

namespace detail {
/// Several processes that hold copies of a model.
template <class Device>
inline constexpr bool is_distributed = false;
template <class Device, std::size_t BucketBytes>
inline constexpr bool is_distributed<distributed<Device, BucketBytes>> = true;

/// Several devices that hold copies of a model.
template <class Device>
inline constexpr bool is_device_group = false;
template <int Devices, std::size_t BucketBytes>
inline constexpr bool is_device_group<cuda_parallel<Devices, BucketBytes>> = true;
template <int Devices, std::size_t BucketBytes>
inline constexpr bool is_device_group<simulated_cuda_parallel<Devices, BucketBytes>> = true;

/// The tag of one device: of each of several, or the device itself.
template <class Device>
struct single_device_of {
  using type = Device;
};
template <int Devices, std::size_t BucketBytes>
struct single_device_of<cuda_parallel<Devices, BucketBytes>> {
  using type = cuda;
};
template <int Devices, std::size_t BucketBytes>
struct single_device_of<simulated_cuda_parallel<Devices, BucketBytes>> {
  using type = simulated_cuda;
};
template <class Device, std::size_t BucketBytes>
struct single_device_of<distributed<Device, BucketBytes>> {
  using type = Device;
};
template <class Device>
using single_device = typename single_device_of<Device>::type;

/// A device with its own memory, which the host accesses only by copies.
template <class Device>
inline constexpr bool is_graphics =
    std::is_same_v<Device, cuda> || std::is_same_v<Device, simulated_cuda> || is_device_group<Device>;
template <class Device, std::size_t BucketBytes>
inline constexpr bool is_graphics<distributed<Device, BucketBytes>> = is_graphics<Device>;

/// The type of the activations of a model of T: the host computes in float with parameters of 16 bits.
template <class T, class Device>
using activation = std::conditional_t<is_graphics<Device>, T, computed_in<T>>;
template <class Model>
using activation_of = activation<typename Model::value_type, typename Model::device_type>;

template <class Device>
inline constexpr bool is_parallel = false;
template <int Threads>
inline constexpr bool is_parallel<cpu_parallel<Threads>> = true;

/// A constraint that errors name: this translation unit includes the storage of the device. The header of a device
/// specializes it.
template <class Device>
struct storage_on {
  static constexpr bool included = std::is_same_v<Device, cpu> || is_parallel<Device>;
};
/// A constraint that errors name: tensors have this device in their type; threads of cpu_parallel share the host's
/// memory.
template <class Device>
struct memory_of {
  static constexpr bool exists = !is_parallel<Device>;
};
/// A constraint that errors name: the number of threads is supported.
template <class Device>
struct thread_count {
  static constexpr bool agree = true;
};
template <int Threads>
struct thread_count<cpu_parallel<Threads>> {
  ESPALIER_READS("got {}")
  static constexpr bool agree = Threads >= 1 && Threads <= 64;
};

/// A constraint that errors name: the number of devices, and the bytes of a bucket, are supported.
template <class Device>
struct device_count {
  static constexpr bool agree = true;
};
template <template <int, std::size_t> class Group, int Devices, std::size_t BucketBytes>
  requires is_device_group<Group<Devices, BucketBytes>>
struct device_count<Group<Devices, BucketBytes>> {
  ESPALIER_READS("got {}")
  static constexpr bool agree = Devices >= 1 && Devices <= 64 && BucketBytes >= 1;
};
template <class Device, std::size_t BucketBytes>
struct device_count<distributed<Device, BucketBytes>> {
  ESPALIER_READS("got {}")
  static constexpr bool agree = BucketBytes >= 1;
};
/// A constraint that errors name: a process computes on this device.
template <class Device>
struct device_of_process {
  static constexpr bool agree = true;
};
template <class Device, std::size_t BucketBytes>
struct device_of_process<distributed<Device, BucketBytes>> {
  ESPALIER_READS("got {}")
  static constexpr bool agree = std::is_same_v<Device, cpu> || is_parallel<Device> || std::is_same_v<Device, cuda> ||
                                std::is_same_v<Device, simulated_cuda>;
};
/// A constraint that errors name: other processes take no part in training.
template <class Device>
struct trains_alone {
  static constexpr bool agree = !is_distributed<Device>;
};
/// A constraint that errors name: one device computes, not several that train together.
template <class Device>
struct on_one_device {
  static constexpr bool agree = !is_device_group<Device> && !is_distributed<Device>;
};
#define ESPALIER_ON_ONE_DEVICE                                                                     \
  "a model on several devices or processes is trained by a trainer and evaluated by a predictor; " \
  "copy(model, other) its numbers to a model on one device"

template <class X>
concept marked_tensor = requires {
  typename X::is_tensor;
};
template <class X>
concept marked_view = requires {
  typename X::is_view;
};

template <class E>
struct device_of_impl {
  using type = void;
};
template <class E>
  requires marked_tensor<E> || marked_view<E>
struct device_of_impl<E> {
  using type = typename E::device_type;
};

/// The device of an expression with operands on two devices.
template <class A, class B>
struct two_devices {};
}  // namespace detail

/// The device of a tensor or view, or of the operands of an expression; void for an expression that reads no memory.
template <class E>
using device_of = typename detail::device_of_impl<detail::bare<E>>::type;

/// Named relation: operands are in the memory of one device; copy one with tensor<T, S, cuda>(x) or x.to_host(). An
/// operand that reads no memory fits every device.
template <class A, class B>
struct same_device {
  ESPALIER_READS("{} and {}")
  static constexpr bool agree = std::is_same_v<A, B> || std::is_void_v<A> || std::is_void_v<B>;
};

namespace detail {
/// The device that all operands share, and the relation that reports two devices that differ.
template <class... Devices>
struct common_device {
  using type = void;
  using relation = same_device<void, void>;
};
template <class A, class... Rest>
struct common_device<A, Rest...> {
  using rest = common_device<Rest...>;
  using first_relation = same_device<A, typename rest::type>;
  // names two devices that differ
  using relation = std::conditional_t<rest::relation::agree, first_relation, typename rest::relation>;
  using type = std::conditional_t<std::is_void_v<A>, typename rest::type,
                                  std::conditional_t<first_relation::agree, A, two_devices<A, typename rest::type>>>;
};
/// The relation that the operands of an expression on `Device` are on one device.
template <class Device>
struct one_device {
  using relation = same_device<Device, Device>;
};
template <class A, class B>
struct one_device<two_devices<A, B>> {
  using relation = same_device<A, B>;
};
/// The device that computes an expression: the host if the expression reads no memory.
template <class Device>
using device_or_cpu = std::conditional_t<std::is_void_v<Device>, cpu, Device>;
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
