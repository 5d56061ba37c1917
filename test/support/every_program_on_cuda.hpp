// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/device/cpu/run.hpp>

#include "kernel_machine.hpp"

/// Included before a whole program (-include), this runs everything that the program would run on the processor with the kernels of the graphics
/// processor, thread by thread: models, trainers, eager expressions, whatever the test.
namespace espalier::on_cpu {

template <>
struct runner<default_arch> {
  template <class Source, class T, class Team>
  static void run(void* const* base, Team const&) {
    void* own[plan::base::count];
    for (int i = 0; i < plan::base::count; ++i) own[i] = base[i];
    test::run_on_kernel_machine<Source, T>(own);
  }
};

}  // namespace espalier::on_cpu
