// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../loop_steps.hpp"
#include "thread/team.hpp"
#include "vector/architecture.hpp"

/// Runs the loops of a program on the processor.
namespace espalier::on_cpu {

template <class Program, class T, class Arch = default_arch, class Team = one_thread>
void run(void* const* base, Team const& team = {}) noexcept;

namespace detail {

/// Arch is a template parameter so that each translation unit with other instructions has its own function.
template <class Program, int Loop, class T, class Arch>
struct loop_kernel {
  using body = plan::loop_program<Program, Loop>;

  template <class Team>
  static void run(on_device::addresses<T> outside, void* const* base, Team const& team) {
    on_device::loop_steps<Program, Loop, T>{}.run(
        outside, base, [&](void* const* of_step) { on_cpu::run<body, T, Arch>(of_step, team); },
        [](T const* from, T* to, std::int64_t size) {
          for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
        },
        [](T* to, std::int64_t size) {
          for (std::int64_t i = 0; i < size; ++i) to[i] = T(0);
        },
        [](std::int32_t const* from) { return *from; });
  }
};

}  // namespace detail
}  // namespace espalier::on_cpu
#include "../../base/diagnostics_pop.hpp"
