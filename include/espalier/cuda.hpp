// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// NVIDIA GPUs: esp::tensor<T, S, esp::cuda>, esp::model<Net, esp::cuda>. Include it together with <espalier.hpp>.
/// Build requirements: docs/design/cuda_build.md.
#if defined(__CUDACC__)
#error "compile this file with your C++ compiler; nvcc only compiles the kernels (docs/design/cuda_build.md)"
#else
#include "device/cuda/library/cuda_backend.hpp"
#include "device/cuda/library/default_backend.hpp"

namespace espalier {

struct cuda {};

namespace detail {
template <>
struct storage_on<cuda> {
  static constexpr bool included = true;
};
}  // namespace detail
namespace on_cuda {
template <>
struct backend_for<cuda> {
  using type = cuda_backend;
};
}  // namespace on_cuda

using on_cuda::cuda_error;

}  // namespace espalier

#include "device/cuda/tensor/device_tensor.hpp"
#include "device/cuda/engine.hpp"
#endif
#include "base/diagnostics_pop.hpp"
