// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include "error.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Calls of NVIDIA's libraries: what they return becomes a cuda_error that names the call and what it was for.
namespace espalier::on_cuda::detail {

/// Throws for a call that failed. name, text: of the error, text or null; what: printf's format for what the call was for.
template <class... Facts>
[[noreturn]] void refuse_call(char const* call, char const* name, char const* text, char const* what, Facts... facts) {
  char purpose[700];
  if constexpr (sizeof...(Facts) > 0) std::snprintf(purpose, sizeof purpose, what, facts...);
  else std::snprintf(purpose, sizeof purpose, "%s", what);
  refuse<cuda_error>("%s: %s%s%s%s%s%s", call, name, text != nullptr ? " (" : "", text != nullptr ? text : "", text != nullptr ? ")" : "", purpose[0] != 0 ? ": " : "", purpose);
}

/// Throws unless a call succeeded. call: its name; what: printf's format for what it was called for.
template <class... Facts>
void check(cudaError_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == cudaSuccess) [[likely]]
    return;
  // What the runtime keeps as its last error would come up again at a call that has done nothing wrong.
  (void)cudaGetLastError();
  refuse_call(call, cudaGetErrorName(status), cudaGetErrorString(status), what, facts...);
}
template <class... Facts>
void check(cublasStatus_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  refuse_call(call, cublasLtGetStatusName(status), cublasLtGetStatusString(status), what, facts...);
}

}  // namespace espalier::on_cuda::detail
#pragma GCC diagnostic pop
