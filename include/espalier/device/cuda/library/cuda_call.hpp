// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include "../error.hpp"

/// Checks calls of NVIDIA's libraries: a failed call throws a cuda_error that names the call and its purpose.
namespace espalier::on_cuda::detail {

/// Throws for a failed call. name: of the error; text: its description, or null; what: printf format of the purpose.
template <class... Facts>
[[noreturn]] void throw_call_error(char const* call, char const* name, char const* text, char const* what,
                                   Facts... facts) {
  char purpose[700];
  if constexpr (sizeof...(Facts) > 0) std::snprintf(purpose, sizeof purpose, what, facts...);
  else std::snprintf(purpose, sizeof purpose, "%s", what);
  throw_error<cuda_error>("%s: %s%s%s%s%s%s", call, name, text != nullptr ? " (" : "", text != nullptr ? text : "",
                          text != nullptr ? ")" : "", purpose[0] != 0 ? ": " : "", purpose);
}

/// Throws unless a call succeeded. call: its name; what: printf format of its purpose.
template <class... Facts>
void check(cudaError_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == cudaSuccess) [[likely]]
    return;
  // Clears the runtime's last error: otherwise a later call without an error would report it.
  (void)cudaGetLastError();
  throw_call_error(call, cudaGetErrorName(status), cudaGetErrorString(status), what, facts...);
}
template <class... Facts>
void check(cublasStatus_t status, char const* call, char const* what = "", Facts... facts) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  throw_call_error(call, cublasLtGetStatusName(status), cublasLtGetStatusString(status), what, facts...);
}

}  // namespace espalier::on_cuda::detail
#include "../../../base/diagnostics_pop.hpp"
