// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cuda_runtime_api.h>

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <cstdlib>

namespace test {

/// Ends a test program with status 77 ("skipped") before its first test where no graphics processor answers.
/// A global fixture, and no main of our own: the programs are then the same whether Boost.Test is linked or included.
struct device_or_skip {
  device_or_skip() {
    int count = 0;
    cudaError_t const status = cudaGetDeviceCount(&count);
    if (status == cudaSuccess && count > 0) return;
    std::printf("skipped: no CUDA device (%s)\n", status == cudaSuccess ? "none is installed" : cudaGetErrorString(status));
    std::fflush(stdout);
    std::_Exit(77);
  }
};

BOOST_TEST_GLOBAL_FIXTURE(device_or_skip);

}  // namespace test
