// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../storage/bytes.hpp"
#include "../../storage/tensor.hpp"
#include "../elements_on.hpp"
#include "../program_bases.hpp"
#include "../reachable.hpp"
#include "run.hpp"

#include "../../base/diagnostics_push.hpp"
/// What models, trainers and predictors use of a device: memory, program runs, and the transfer of inputs and outputs.
/// This file has the engine of the host processor, where nothing is transferred. device/cuda/engine.hpp has the same
/// interface for graphics processors.
namespace espalier::detail {

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

/// Runs a program repeatedly with the same pointers. Other devices may record the launches; the host repeats the calls.
template <int Count>
class host_replays {
 public:
  template <class Engine, class F>
  static ESPALIER_INLINE void run(Engine const&, int, F const& launches) {
    launches();
  }
};

/// The engine of the host processor, with the threads of the device tag.
template <class Device>
class host_engine {
 public:
  /// Whether the device has memory that the host cannot reach.
  static constexpr bool has_device_memory = false;
  /// The device of the tensors that belong to a model.
  using memory_device = cpu;
  using single_threaded = host_engine<cpu>;
  using memory = block;
  using exchange = direct_exchange;
  template <int Count>
  using replays = host_replays<Count>;
  template <class T>
  using elements = espalier::span<T>;
  /// The type in which a program of T stores its result 0 if that is a single number that the caller reads.
  template <class Program, class T>
  using result = T;
  template <class Program, class T>
  static constexpr std::size_t workspace_bytes = bytes_for<T>(workspace_elements<Program>);

  /// The engine of objects that may outlive a model: the same memory, no threads.
  single_threaded without_threads() const { return {}; }
  memory allocate(std::size_t size) const { return memory{size}; }
  /// Memory whose first `zeroed` bytes are 0.
  memory allocate(std::size_t size, std::size_t zeroed) const { return memory{size, zeroed}; }
  template <std::size_t Count>
  memory allocate(bytes<Count>& storage, std::size_t size) const {
    return memory{storage, size};
  }
  /// Takes the memory of another owner, which then has none.
  static memory hand_over(memory& from) noexcept { return memory{block::handed_over{}, from}; }
  static void hand_over(memory& from, memory& to) noexcept { to.adopt(from); }
  /// The arguments are device_bytes, the bytes on the device, and host_bytes, the bytes on the host: at least
  /// device_bytes.
  exchange make_exchange(std::size_t, std::size_t) const { return {}; }
  /// An exchange for tensors of the device From, whose addresses are used for one run.
  template <class From>
  exchange make_exchange_with(std::size_t, std::size_t) const {
    return {};
  }
  template <class T>
  elements<T> span_of(T* data, std::int64_t size) const {
    return {data, size};
  }
  /// Arch is a template parameter so that each translation unit with other instructions has its own function.
  template <class Program, class T, class Arch = on_cpu::default_arch>
  ESPALIER_INLINE void run(void* const* base) const noexcept {
    on_cpu::run<Program, T, Arch>(base, team_);
  }
  /// Runs on the host, also where the engine belongs to another device.
  template <class Program, class T, class Arch = on_cpu::default_arch>
  ESPALIER_INLINE void run_on_host(void* const* base) const noexcept {
    on_cpu::run<Program, T, Arch>(base, team_);
  }
  void copy(void* to, void const* from, std::size_t bytes) const noexcept {
    if (bytes > 0) __builtin_memcpy(to, from, bytes);
  }
  void to_device(void* to, void const* from, std::size_t bytes) const noexcept { copy(to, from, bytes); }
  void to_host(void* to, void const* from, std::size_t bytes) const noexcept { copy(to, from, bytes); }

 private:
  [[no_unique_address]] typename on_cpu::detail::team_of<Device>::type team_;
};

/// The engine of a device tag. The header of a device with its own memory specializes it.
template <class Device>
struct engine_of {
  using type = host_engine<Device>;
};

}  // namespace espalier::detail
#include "../../base/diagnostics_pop.hpp"
