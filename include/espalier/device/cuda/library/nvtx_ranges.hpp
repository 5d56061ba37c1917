// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <nvtx3/nvToolsExt.h>

#include "../../range_marks.hpp"
#include "cuda_backend.hpp"

namespace espalier {

/// Ranges of NVTX, which NVIDIA's tools draw. Without a tool, a call does nothing.
template <>
struct range_marks<on_cuda::cuda_backend> {
  static void push(char const* name) { nvtxRangePushA(name); }
  static void pop() { nvtxRangePop(); }
};

}  // namespace espalier
#include "../../../base/diagnostics_pop.hpp"
