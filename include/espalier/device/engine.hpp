// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "elements_on.hpp"

/// What models, trainers and predictors use of a device is an engine: memory, program runs, and the transfer of inputs
/// and outputs. device/cpu/engine.hpp and device/cuda/engine.hpp have the same interface; this file has what both use.
namespace espalier {

namespace on_device {

using espalier::detail::elements_on;

/// The exchange of a device without memory of its own: a run reads and writes the memory of the caller, so nothing is
/// copied.
class direct_exchange {
 public:
  /// The address that a program reads x at. Exchanges that copy place x at `offset` of their memory.
  template <class T, class From, std::int64_t Count>
  static void* stage_in(elements_on<T, From, Count> x, [[maybe_unused]] std::size_t offset) {
    return const_cast<std::remove_const_t<T>*>(x.data);
  }
  /// Nothing to copy: inputs are read in the memory of the caller.
  static void upload() {}
  /// The address that a program writes y at.
  template <class T, class To, std::int64_t Count>
  static void* stage_out(elements_on<T, To, Count> y, std::size_t) {
    return y.data;
  }
  /// Exchanges that copy bring bytes from an offset on to the host; copy_out then copies each requested y from there.
  static void download(std::size_t, std::size_t) {}
  template <class T, class To, std::int64_t Count>
  static void copy_out(elements_on<T, To, Count>, std::size_t) {}
  /// The elements of x, readable by the host.
  template <class T, std::int64_t Count>
  static T* view_on_host(elements_on<T, cpu, Count> x, std::size_t) {
    return x.data;
  }
  /// The host memory at an offset: here the memory of the caller.
  template <class T>
  static T* host_address(T* own, std::size_t) {
    return own;
  }
};

}  // namespace on_device

namespace detail {

/// The engine of a device tag: engine_of<Device>::type. It is that of the host processor unless the header of a device
/// with its own memory specializes it.
template <class Device>
struct engine_of;

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
