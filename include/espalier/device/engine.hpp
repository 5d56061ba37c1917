// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../storage/bytes.hpp"
#include "../storage/tensor.hpp"
#include "cpu/run.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What models, trainers and predictors ask of a device: memory, a program's run, a way in for what a run is given and a way out for what it gives.
/// Here is the processor that the program itself runs on, where nothing has to move; device/cuda/engine.hpp has the same words for graphics processors.
namespace espalier::detail {

/// The pointers of a running program.
struct program_bases {
  void* at[plan::base::count];
};

template <class Source>
inline constexpr std::size_t workspace_elements = static_cast<std::size_t>(plan::plan_of<Source>.places.workspace);

/// Aligned bytes.
constexpr std::size_t aligned_bytes(std::size_t bytes) { return (bytes + tensor_alignment - 1) / tensor_alignment * tensor_alignment; }
/// Aligned bytes for some elements.
template <class T>
constexpr std::size_t bytes_for(std::size_t elements) {
  return aligned_bytes(elements * sizeof(T));
}

/// Where elements lie that somebody gives or wants: a device's tag (cpu for the host) and a pointer that only that device may follow.
template <class T, class Device, std::int64_t Count>
struct elements_on {
  static constexpr std::size_t bytes = static_cast<std::size_t>(Count) * sizeof(T);
  T* data;
};
template <class T, class X>
constexpr auto elements_of(X& x) {
  return elements_on<T, typename std::remove_cvref_t<X>::device_type, std::remove_cvref_t<X>::shape_type::size>{x.data()};
}
template <class T>
constexpr elements_on<T, cpu, 1> one_element(T& x) {
  return {&x};
}

/// Elements of the host in what is computed with: themselves, or, of 16 bits, floats in a place that has room for them.
template <std::int64_t Count, class T>
computed_in<T> const* widened(T const* x, [[maybe_unused]] void* room) {
  if constexpr (is_narrow<T>) {
    computed_in<T>* const wide = static_cast<computed_in<T>*>(room);
    for (std::int64_t i = 0; i < Count; ++i) wide[i] = x[i];
    return wide;
  } else {
    return x;
  }
}

/// Named relation: tensors of some devices lie where a reader on Device can reach them, on the host or on its own device.
template <class Device, class... OfTensors>
struct reachable {
  ESPALIER_READS("computing on {}, given tensors of {...}")
  static constexpr bool agree = ((std::is_same_v<OfTensors, cpu> || std::is_same_v<OfTensors, Device>)&&...);
};
#define ESPALIER_REACHABLE "the tensor is in the memory of another device; give one of the host, or of the model's own device"
template <class Device, class... X>
using reaches = reachable<Device, typename std::remove_cvref_t<X>::device_type...>;

/// A fact for a refusal: what the device computes with is memory of the host.
template <class Device>
struct computes_on_host {
  static constexpr bool agree = !is_graphics<Device>;
};
#define ESPALIER_BYTES_OF_HOST "the bytes are the host's; on a graphics processor this takes its memory itself"

/// What a run is given and gives where nothing has to move: the caller's own memory.
class direct_exchange {
 public:
  /// The address that a program reads x at: from `place` on where what is given has to move.
  template <class T, class From, std::int64_t Count>
  static void* give(elements_on<T, From, Count> x, [[maybe_unused]] std::size_t place) {
    return const_cast<std::remove_const_t<T>*>(x.data);
  }
  /// What was given is where it is read.
  static void send() {}
  /// The address that a program writes y at.
  template <class T, class To, std::int64_t Count>
  static void* want(elements_on<T, To, Count> y, std::size_t) {
    return y.data;
  }
  /// Some bytes from `place` on come to the host; then each wanted y is taken from there.
  static void fetch(std::size_t, std::size_t) {}
  template <class T, class To, std::int64_t Count>
  static void take(elements_on<T, To, Count>, std::size_t) {}
  /// x for the host to read.
  template <class T, std::int64_t Count>
  static T* look(elements_on<T, cpu, Count> x, std::size_t) {
    return x.data;
  }
  /// The host's memory at a place: the caller's own.
  template <class T>
  static T* here(T* own, std::size_t) {
    return own;
  }
};

/// Programs that run again and again with the same pointers, on the host: calls.
template <int Count>
class host_replays {
 public:
  template <class Engine, class F>
  static ESPALIER_INLINE void run(Engine const&, int, F const& launches) {
    launches();
  }
};

/// The processor of this program, with the threads of its tag.
template <class Device>
class host_engine {
 public:
  /// Whether the device has memory that the host cannot reach.
  static constexpr bool apart = false;
  /// Where tensors lie that belong to a model of this device.
  using memory_device = cpu;
  using alone = host_engine<cpu>;
  using memory = block;
  using exchange = direct_exchange;
  template <int Count>
  using replays = host_replays<Count>;
  template <class T>
  using elements = espalier::span<T>;
  /// What a program of T leaves where its result 0, a single number, is wanted.
  template <class Source, class T>
  using result = T;
  template <class Source, class T>
  static constexpr std::size_t workspace_bytes = bytes_for<T>(workspace_elements<Source>);

  /// The engine of what may outlive a model: the same memory, no threads.
  alone without_threads() const { return {}; }
  memory take(std::size_t size) const { return memory{size}; }
  /// Zeroed up to a point.
  memory take(std::size_t size, std::size_t zeroed) const { return memory{size, zeroed}; }
  template <std::size_t Count>
  memory take(bytes<Count>& given, std::size_t size) const {
    return memory{given, size};
  }
  /// The memory of another owner, who has none then.
  static memory hand_over(memory& from) noexcept { return memory{block::handed_over{}, from}; }
  static void hand_over(memory& from, memory& to) noexcept { to.take(from); }
  /// there: bytes on the device; here: bytes on the host, `there` of them at least.
  exchange exchange_of(std::size_t, std::size_t) const { return {}; }
  /// For tensors of a device whose addresses are used once.
  template <class From>
  exchange exchange_with(std::size_t, std::size_t) const {
    return {};
  }
  template <class T>
  elements<T> see(T* data, std::int64_t size) const {
    return {data, size};
  }
  /// Arch: translation units with other instructions keep a function of their own.
  template <class Source, class T, class Arch = on_cpu::default_arch>
  ESPALIER_INLINE void run(void* const* base) const noexcept {
    on_cpu::run<Source, T, Arch>(base, team_);
  }
  /// On the host, whatever the device.
  template <class Source, class T, class Arch = on_cpu::default_arch>
  ESPALIER_INLINE void run_here(void* const* base) const noexcept {
    on_cpu::run<Source, T, Arch>(base, team_);
  }
  void copy(void* to, void const* from, std::size_t bytes) const noexcept {
    if (bytes > 0) __builtin_memcpy(to, from, bytes);
  }
  void to_device(void* to, void const* from, std::size_t bytes) const noexcept { copy(to, from, bytes); }
  void to_host(void* to, void const* from, std::size_t bytes) const noexcept { copy(to, from, bytes); }

 private:
  [[no_unique_address]] typename on_cpu::detail::team_of<Device>::type team_;
};

/// The engine of a device tag; the header of a device with memory of its own specializes it.
template <class Device>
struct engine_of {
  using type = host_engine<Device>;
};

}  // namespace espalier::detail
#pragma GCC diagnostic pop
