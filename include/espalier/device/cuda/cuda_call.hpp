// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include "error.hpp"

/// Calls of NVIDIA's libraries: what they return becomes a cuda_error that names the call and what it was for.
namespace espalier::on_cuda::detail {

/// Throws unless a call succeeded. call: its name; what: printf's format for what it was called for.
template <class... Facts>
void check(cudaError_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == cudaSuccess) [[likely]]
    return;
  // What the runtime keeps as its last error would come up again at a call that has done nothing wrong.
  (void)cudaGetLastError();
  char text[700];
  if constexpr (sizeof...(Facts) > 0) std::snprintf(text, sizeof text, what, facts...);
  else std::snprintf(text, sizeof text, "%s", what);
  refuse<cuda_error>("%s: %s (%s)%s%s", call, cudaGetErrorName(status), cudaGetErrorString(status), text[0] != 0 ? ": " : "", text);
}
template <class... Facts>
void check(cublasStatus_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  char text[700];
  if constexpr (sizeof...(Facts) > 0) std::snprintf(text, sizeof text, what, facts...);
  else std::snprintf(text, sizeof text, "%s", what);
  refuse<cuda_error>("%s: %s (%s)%s%s", call, cublasLtGetStatusName(status), cublasLtGetStatusString(status), text[0] != 0 ? ": " : "", text);
}

}  // namespace espalier::on_cuda::detail
