// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../../../base/host_device.hpp"
#include "../../../storage/device.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Runs kernels in parts, which threads may share. The parts of a kernel depend on its shape alone, and so do its
/// results: they are the same bits on any number of threads. A kernel that is large enough declares, beside
/// run(addresses...),
///   static constexpr int parts;                              at most 255
///   static constexpr std::int64_t scratch;                   elements that the parts share, on the stack of the caller
///   static void part(addresses..., T* shared, int which);    independent of the other parts
///   static void finish(addresses..., T* shared);             combines the results of the parts, in their order
/// independent_parts is a base with a finish that does nothing.
namespace espalier::on_cpu {

/// The team of the calling thread only.
struct one_thread {
  static constexpr int threads = 1;
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
  if constexpr (requires(T * shared, P... p) { Kernel::part(p..., shared, 0); }) return static_cast<int>(Kernel::parts);
  else return 1;
}

/// Runs a kernel, on the team if it has parts. T: the type of the elements that `scratch` counts.
template <class Kernel, class T, class Team, class... P>
ESPALIER_INLINE void run_kernel(Team const& team, P... p) {
  if constexpr (Team::threads > 1 && parts_of<Kernel, T, P...>() > 1) {
    alignas(64) T shared[static_cast<unsigned long>(Kernel::scratch) + 1];
    auto const job = [&](int which) { Kernel::part(p..., shared, which); };
    team.run(
        static_cast<int>(Kernel::parts), [](void const* f, int which) { (*static_cast<decltype(job)*>(f))(which); },
        &job);
    Kernel::finish(p..., shared);
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
