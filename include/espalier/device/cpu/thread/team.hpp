// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "../../../base/host_device.hpp"
#include "../../../storage/device.hpp"

/// Runs kernels in parts, which threads may share. The parts of a kernel depend on its shape alone, and so do its
/// results: they are the same bits on any number of threads. A kernel that is large enough declares, beside
/// run(addresses...),
///   static constexpr int parts;                              at most 255
///   static constexpr std::int64_t scratch;                   elements that the parts share
///   static void part(addresses..., T* shared, int which);    independent of the other parts
///   static void finish(addresses..., T* shared);             combines the results of the parts, in their order
/// independent_parts is a base with a finish that does nothing.
/// A kernel that packs operands or pads images declares how many elements it needs for that, and has overloads of run
/// and part whose first argument is their memory. They may be 100 Ki elements, which threads of audio systems and
/// browsers have no stack for:
///   static constexpr std::int64_t room_size;
///   static void run(room<T> own, addresses...);              beside run(addresses...), which has them on the stack
namespace espalier::on_cpu {

/// The team of the calling thread only.
struct one_thread {
  static constexpr int threads = 1;
};

/// Memory of a kernel, aligned for registers.
template <class T>
struct room {
  T* at;

  /// What is behind the first `size` elements, which are a whole number of cache lines.
  ESPALIER_INLINE room behind(std::int64_t size) const { return {at + size}; }
};
/// The elements of an array in a room: whole cache lines.
template <class T>
constexpr std::int64_t room_for(std::int64_t size) {
  constexpr std::int64_t line = 64 / static_cast<std::int64_t>(sizeof(T));
  return (size + line - 1) / line * line;
}
/// A room on the stack.
template <class T, std::int64_t Size>
struct room_on_stack {
  alignas(64) T elements[Size > 0 ? static_cast<unsigned long>(Size) : 1];

  ESPALIER_INLINE operator room<T>() { return {elements}; }
};

/// The base of kernels whose parts share nothing.
struct independent_parts {
  static constexpr std::int64_t scratch = 0;
  static void finish(auto const&...) {}
};

namespace detail {

/// The number of parts of some elements along an axis: at most 16, of at least 32 Ki elements.
constexpr int parts_along(std::int64_t extent, std::int64_t elements) {
  std::int64_t const parts = elements < 1 << 16 ? 1 : elements < 1 << 19 ? elements >> 15 : 16;
  return static_cast<int>(parts < extent ? parts : extent);
}
/// The index at which part `which` begins.
constexpr std::int64_t part_begin(std::int64_t extent, int parts, int which) { return extent * which / parts; }

/// The team of a device tag; <espalier/parallel.hpp> has that of cpu_parallel.
template <class Device>
struct team_of {
  using type = one_thread;
  static constexpr bool included = false;
};

template <class Kernel, class T, class... P>
constexpr int parts_of() {
  if constexpr (
      requires(T * shared, P... p) { Kernel::part(p..., shared, 0); } ||
      requires(room<T> own, T * shared, P... p) { Kernel::part(own, p..., shared, 0); })
    return static_cast<int>(Kernel::parts);
  else return 1;
}

/// The elements that a kernel needs for itself in each thread.
template <class Kernel>
inline constexpr bool has_room = requires {
  Kernel::room_size;
};
template <class Kernel>
inline constexpr std::int64_t room_size_of = 0;
template <class Kernel>
  requires has_room<Kernel>
inline constexpr std::int64_t room_size_of<Kernel> = Kernel::room_size;
/// The same for a kernel that is used on a condition.
template <bool Is, class Kernel>
inline constexpr std::int64_t room_size_if = 0;
template <class Kernel>
inline constexpr std::int64_t room_size_if<true, Kernel> = Kernel::room_size;
/// A team with memory for kernels: `room_bytes` for each of its threads.
template <class Team>
struct team_with_room {
  static constexpr int threads = Team::threads;
  Team const& team;
  std::byte* memory;
  std::size_t room_bytes;

  template <class T>
  ESPALIER_INLINE room<T> of_thread(int i) const {
    return {reinterpret_cast<T*>(memory + static_cast<std::size_t>(i) * room_bytes)};
  }
  template <class... P>
  void run(P... p) const noexcept {
    team.run(p...);
  }
};

/// Runs a kernel, on the team if it has parts. T: the type of the elements that `scratch` and `room_size` count.
template <class Kernel, class T, class Team, class... P>
ESPALIER_INLINE void run_kernel(Team const& team, P... p) {
  constexpr bool gives_room = has_room<Kernel> && requires { team.room_bytes; };
  if constexpr (Team::threads > 1 && parts_of<Kernel, T, P...>() > 1) {
    alignas(64) T shared[static_cast<unsigned long>(Kernel::scratch) + 1];
    auto const job = [&](int which, [[maybe_unused]] int thread) {
      if constexpr (gives_room) {
        Kernel::part(team.template of_thread<T>(thread), p..., shared, which);
      } else if constexpr (has_room<Kernel>) {
        room_on_stack<T, room_size_of<Kernel>> own;
        Kernel::part(own, p..., shared, which);
      } else {
        Kernel::part(p..., shared, which);
      }
    };
    team.run(
        static_cast<int>(Kernel::parts),
        [](void const* f, int which, int thread) { (*static_cast<decltype(job)*>(f))(which, thread); }, &job);
    Kernel::finish(p..., shared);
  } else if constexpr (gives_room) {
    Kernel::run(team.template of_thread<T>(0), p...);
  } else {
    (void)team;
    Kernel::run(p...);
  }
}

}  // namespace detail
}  // namespace espalier::on_cpu

namespace espalier::detail {
/// A constraint that errors name: the header with the threads of a device tag is included.
template <class Device>
struct threads_of {
  static constexpr bool included = !is_parallel<Device> || on_cpu::detail::team_of<Device>::included;
};
}  // namespace espalier::detail

#define ESPALIER_THREADS_INCLUDED "cpu_parallel<N>: include <espalier/parallel.hpp> for threads"
#define ESPALIER_THREAD_COUNT "cpu_parallel<N>: N must be 1 to 64 threads, including the caller"
#include "../../../base/diagnostics_pop.hpp"
