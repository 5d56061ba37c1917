// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../engine.hpp"
#include "default_machine.hpp"
#include "device_block.hpp"
#include "device_span.hpp"
#include "precise.hpp"
#include "run.hpp"
#include "step_graph.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What models, trainers and predictors ask of a device with memory of its own: the words of device/engine.hpp.
namespace espalier::on_cuda {

using espalier::detail::elements_on;

/// What one machine has queued comes before what another one queues from now on: tensors belong to the device's own machine, a model perhaps to the
/// user's.
template <class Machine>
void order(Machine& first, Machine& then) {
  if constexpr (requires { then.wait_for(first); })
    if (&first != &then) then.wait_for(first);
}

/// Tensors of the device, used where they are.
template <class Device>
class tensor_exchange : public espalier::detail::direct_exchange {
 public:
  explicit tensor_exchange(machine_of<Device>& machine) : machine_{&machine} {}
  void send() const { order(default_machine<Device>(), *machine_); }
  template <class T, class To, std::int64_t Count>
  void take(elements_on<T, To, Count>, std::size_t) const {
    order(*machine_, default_machine<Device>());
  }

 private:
  machine_of<Device>* machine_;
};

/// The same bytes twice: on the host, and on the device from an address that never changes. What a run is given goes there in as few copies as its
/// places allow (neighbours travel together), and what it gives comes back the same way.
/// memory  one allocation on each side, at construction
template <class Device>
class exchange {
  using Machine = machine_of<Device>;

 public:
  /// there: bytes that both have; here: bytes of the host, `there` of them at least.
  exchange(Machine& machine, std::size_t there, std::size_t here) : machine_{&machine}, there_{machine, there}, here_{machine, here} {}

  /// Elements of the host wait here for send(), so that neighbours are one copy, unless they are many; those of the device are copied there at once.
  template <class T, class From, std::int64_t Count>
  void* give(elements_on<T, From, Count> x, std::size_t place) {
    constexpr std::size_t bytes = elements_on<T, From, Count>::bytes;
    if constexpr (std::is_same_v<From, cpu> && bytes > small) {
      machine_->to_device(there_.template at<void>(place), x.data, bytes);
    } else if constexpr (std::is_same_v<From, cpu>) {
      if (place != espalier::detail::aligned_bytes(end_)) send();
      if (begin_ == end_) begin_ = place;
      end_ = place + bytes;
      __builtin_memcpy(here_.at(place), x.data, bytes);
    } else {
      order(default_machine<Device>(), *machine_);
      machine_->copy(there_.template at<void>(place), x.data, bytes);
      order(*machine_, default_machine<Device>());
    }
    return there_.template at<void>(place);
  }
  void send() {
    if (end_ > begin_) machine_->to_device(there_.template at<void>(begin_), here_.at(begin_), end_ - begin_);
    begin_ = end_ = 0;
  }
  template <class T, class To, std::int64_t Count>
  void* want(elements_on<T, To, Count>, std::size_t place) const {
    return there_.template at<void>(place);
  }
  void fetch(std::size_t place, std::size_t bytes) { machine_->to_host(here_.at(place), there_.template at<void>(place), bytes); }
  template <class T, class To, std::int64_t Count>
  void take(elements_on<T, To, Count> y, std::size_t place) {
    constexpr std::size_t bytes = elements_on<T, To, Count>::bytes;
    if constexpr (std::is_same_v<To, cpu>) {
      __builtin_memcpy(y.data, here_.at(place), bytes);
    } else {
      machine_->copy(y.data, there_.template at<void>(place), bytes);
      order(*machine_, default_machine<Device>());
    }
  }
  template <class T, class From, std::int64_t Count>
  T* look(elements_on<T, From, Count> x, std::size_t place) {
    if constexpr (std::is_same_v<From, cpu>) {
      return x.data;
    } else {
      order(default_machine<Device>(), *machine_);
      machine_->to_host(here_.at(place), x.data, x.bytes);
      return here<T>(nullptr, place);
    }
  }
  template <class T>
  T* here(T*, std::size_t place) const {
    return reinterpret_cast<T*>(here_.at(place));
  }

 private:
  /// Above it, what a copy costs is its bytes.
  static constexpr std::size_t small = 64 * 1024;

  Machine* machine_;
  device_block<Machine> there_;
  staging_block<Machine> here_;
  std::size_t begin_ = 0, end_ = 0;
};

/// A graphics processor, through the machine that launches its kernels.
template <class Device>
class engine {
 public:
  using machine_type = machine_of<Device>;
  static constexpr bool apart = true;
  using memory_device = Device;
  using alone = engine;
  using memory = device_block<machine_type>;
  using exchange = on_cuda::exchange<Device>;
  template <int Count>
  using replays = step_graphs<machine_type, Count>;
  template <class T>
  using elements = device_span<T, Device>;
  template <class Source, class T>
  using result = std::conditional_t<(plan::device_plan_of<Source, detail::policy_of<machine_type, T>>.reporting > 0), compute_type<T>, T>;
  template <class Source, class T>
  static constexpr std::size_t workspace_bytes = on_cuda::workspace_bytes<Source, T, machine_type>;

  /// On the machine that the device's tensors use, so that what they compute is there when a step reads it.
  engine() : machine_{&default_machine<Device>()} {}
  explicit engine(machine_type& machine) : machine_{&machine} {}

  alone without_threads() const { return *this; }
  memory take(std::size_t size) const { return memory{*machine_, size}; }
  memory take(std::size_t size, std::size_t) const { return take(size); }
  template <std::size_t Count>
  memory take(bytes<Count>&, std::size_t) const {  // refused by what was given them
    return memory{};
  }
  static memory hand_over(memory& from) noexcept { return static_cast<memory&&>(from); }
  static void hand_over(memory& from, memory& to) noexcept { to = static_cast<memory&&>(from); }
  exchange exchange_of(std::size_t there, std::size_t here) const { return exchange{*machine_, there, here}; }
  template <class From>
  auto exchange_with(std::size_t there, std::size_t here) const {
    if constexpr (std::is_same_v<From, Device>) return tensor_exchange<Device>{*machine_};
    else return exchange{*machine_, there, here};
  }
  template <class T>
  elements<T> see(T* data, std::int64_t size) const {
    return {*machine_, data, size};
  }
  template <class Source, class T, class...>
  void run(void* const* base) const {
    on_cuda::run<Source, T>(*machine_, base);
  }
  template <class Source, class T, class Arch = on_cpu::default_arch>
  void run_here(void* const* base) const noexcept {
    on_cpu::run<Source, T, Arch>(base);
  }
  void copy(void* to, void const* from, std::size_t bytes) const {
    if (bytes > 0) machine_->copy(to, from, bytes);
  }
  void to_device(void* to, void const* from, std::size_t bytes) const {
    if (bytes > 0) machine_->to_device(to, from, bytes);
  }
  void to_host(void* to, void const* from, std::size_t bytes) const {
    if (bytes > 0) machine_->to_host(to, from, bytes);
  }
  machine_type& machine() const { return *machine_; }

  /// The same numbers in another type, rounded where it has fewer bits.
  template <int Size, class From, class To>
  void convert(From const* from, To* to) const {
    machine_->template launch<numbers_kernel<To, From, Size>>({{const_cast<From*>(from), to}, {}});
  }
  /// precise: numbers whose rounded ones are stored, but for those that were written since.
  template <int Size, class T>
  void make_precise(T const* stored, float* precise) const {
    machine_->template launch<precise_kernel<T, Size>>({{const_cast<T*>(stored), precise}, {}});
  }

 private:
  machine_type* machine_;
};

}  // namespace espalier::on_cuda

namespace espalier::detail {
template <class Device>
  requires is_graphics<Device>
struct engine_of<Device> {
  using type = on_cuda::engine<Device>;
};
}  // namespace espalier::detail
#pragma GCC diagnostic pop
