// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// Tests of CUDA programs without a GPU and without nvcc. The host simulates the device thread by thread, which is
/// slow. Programs, kernels and errors are those of <espalier/cuda.hpp>. Include it together with <espalier.hpp>.
#include "device/cuda/library/default_backend.hpp"
#include "device/cuda/simulator/simulated_backend.hpp"

namespace espalier {

struct simulated_cuda {};

namespace detail {
template <>
struct storage_on<simulated_cuda> {
  static constexpr bool included = true;
};
}  // namespace detail
namespace on_cuda {
template <>
struct backend_for<simulated_cuda> {
  using type = simulated_backend;
};
}  // namespace on_cuda

using on_cuda::cuda_error;

}  // namespace espalier

#include "device/cuda/tensor/device_tensor.hpp"
#include "device/cuda/engine.hpp"
#include "base/diagnostics_pop.hpp"
