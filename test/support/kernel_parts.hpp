// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/device/cpu/thread/team.hpp>

/// Runs a part of a kernel of the processor, which gets what it needs for itself.
template <class Kernel, class T, class... P>
void run_part(int which, P... p) {
  namespace on_cpu = espalier::on_cpu;
  if constexpr (on_cpu::detail::has_room<Kernel>) {
    on_cpu::room_on_stack<T, on_cpu::detail::room_size_of<Kernel>> own;
    Kernel::part(own, p..., static_cast<T*>(nullptr), which);
  } else {
    Kernel::part(p..., static_cast<T*>(nullptr), which);
  }
}
