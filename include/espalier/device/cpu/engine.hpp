// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../base/separate_rounding.hpp"
#include "../../plan/convolution_program.hpp"
#include "../../storage/bytes.hpp"
#include "../../storage/tensor.hpp"
#include "../engine.hpp"
#include "../program_bases.hpp"
#include "../reachable.hpp"
#include "run.hpp"

/// The engine of the host processor, where nothing is transferred.
namespace espalier::on_cpu {

/// Runs a program repeatedly with the same pointers. Other devices may record the launches; the host repeats the calls.
template <int Count>
class step_calls {
 public:
  template <class Engine, class F>
  static ESPALIER_INLINE void run(Engine const&, int, F const& launches) {
    launches();
  }
};

/// The engine of the host processor, with the threads of the device tag.
template <class Device>
class engine {
  using team_type = typename detail::team_of<Device>::type;

 public:
  /// Whether the device has memory that the host cannot reach.
  static constexpr bool has_device_memory = false;
  /// The device of the tensors that belong to a model.
  using memory_device = cpu;
  using single_threaded = engine<cpu>;
  using memory = espalier::detail::block;
  using exchange = on_device::direct_exchange;
  template <int Count>
  using replays = step_calls<Count>;
  template <class T>
  using elements = espalier::span<T>;
  /// The type in which a program of T stores its result 0 if that is a single number that the caller reads.
  template <class Program, class T>
  using result = T;
  /// A program as this engine runs it.
  template <class Program>
  using program = plan::program_on_cpu<Program>;
  template <class Program, class T>
  static constexpr std::size_t workspace_bytes =
      espalier::detail::bytes_for<T>(espalier::detail::workspace_elements<program<Program>>);
  /// The memory of a run: the workspace, and behind it what kernels need for themselves.
  template <class Program, class T>
  static constexpr std::size_t run_bytes = on_cpu::run_bytes<program<Program>, T, team_type::threads>;

  /// The engine of objects that may outlive a model: the same memory, no threads.
  single_threaded without_threads() const { return {}; }
  memory allocate(std::size_t size) const {
    espalier::detail::check_separate_rounding();
    return memory{size};
  }
  /// Memory whose first `zeroed` bytes are 0.
  memory allocate(std::size_t size, std::size_t zeroed) const {
    espalier::detail::check_separate_rounding();
    return memory{size, zeroed};
  }
  template <std::size_t Count>
  memory allocate(bytes<Count>& storage, std::size_t size) const {
    espalier::detail::check_separate_rounding();
    return memory{storage, size};
  }
  /// Takes the memory of another owner, which then has none.
  static memory hand_over(memory& from) noexcept { return memory{memory::handed_over{}, from}; }
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
  template <class Program, class T, class Arch = default_arch>
  ESPALIER_INLINE void run(void* const* base) const noexcept {
    run_in_workspace<program<Program>, T, Arch>(base, team_);
  }
  /// Runs on the host, also where the engine belongs to another device. The workspace has its values only: what kernels
  /// need for themselves is on the stack.
  template <class Program, class T, class Arch = default_arch>
  ESPALIER_INLINE void run_on_host(void* const* base) const noexcept {
    on_cpu::run<program<Program>, T, Arch>(base, team_);
  }
  /// run of a program as this engine runs it, which calls after<X>() behind each group.
  template <class OwnProgram, class T, class Arch = default_arch, class After>
  void run_by_group(void* const* base, After const& after) const {
    run_in_workspace_by_group<OwnProgram, T, Arch>(base, team_, after);
  }
  void copy(void* to, void const* from, std::size_t bytes) const noexcept {
    if (bytes > 0) __builtin_memcpy(to, from, bytes);
  }
  void to_device(void* to, void const* from, std::size_t bytes) const noexcept { copy(to, from, bytes); }
  void to_host(void* to, void const* from, std::size_t bytes) const noexcept { copy(to, from, bytes); }

 private:
  [[no_unique_address]] team_type team_;
};

}  // namespace espalier::on_cpu

namespace espalier::detail {
template <class Device>
struct engine_of {
  using type = on_cpu::engine<Device>;
};
}  // namespace espalier::detail
#include "../../base/diagnostics_pop.hpp"
