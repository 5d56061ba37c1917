// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <nccl.h>

#include "cuda_call.hpp"

namespace espalier::on_cuda::detail {

/// What NCCL says of the last error of this process besides its name; null if nothing.
inline char const* last_nccl_error() {
  char const* const more = ncclGetLastError(nullptr);
  return more != nullptr && more[0] != 0 ? more : nullptr;
}

/// Throws unless a call of NCCL succeeded. call: its name; what: printf format of its purpose.
template <class... Facts>
void check(ncclResult_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == ncclSuccess) [[likely]]
    return;
  throw_call_error(call, ncclGetErrorString(status), last_nccl_error(), what, facts...);
}

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
