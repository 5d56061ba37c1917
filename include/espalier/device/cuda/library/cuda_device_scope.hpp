// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "cuda_call.hpp"

namespace espalier::on_cuda {

/// Chooses this thread's current device while several are used, and restores the one from before at the end.
/// errors  cuda_error
class cuda_device_scope {
 public:
  cuda_device_scope() { detail::check(cudaGetDevice(&before_), "cudaGetDevice"); }
  cuda_device_scope(cuda_device_scope const&) = delete;
  cuda_device_scope& operator=(cuda_device_scope const&) = delete;
  ~cuda_device_scope() {
    if (cudaSetDevice(before_) != cudaSuccess) (void)cudaGetLastError();
  }
  void use(int device) const { detail::check(cudaSetDevice(device), "cudaSetDevice", "device %d", device); }

 private:
  int before_ = 0;
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
