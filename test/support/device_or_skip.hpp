// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

namespace test {

/// Ends the program with status 77 ("skipped") where no graphics processor answers.
struct device_or_skip {
  device_or_skip() {
    int count = 0;
    cudaError_t const status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return;
    std::printf("skipped: no CUDA device (%s)\n",
                status == cudaSuccess ? "none is installed" : cudaGetErrorString(status));
    std::fflush(stdout);
    std::_Exit(77);
  }
};

}  // namespace test
