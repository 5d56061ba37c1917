// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

namespace espalier {

/// Marks ranges of a backend's work in a tool that draws timelines: push(name) begins one, pop() ends the last one.
/// Here is no tool; a header that knows one specializes it, as <espalier/nvtx.hpp> does for CUDA.
template <class Backend>
struct range_marks {
  static void push(char const*) {}
  static void pop() {}
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
