// SPDX-License-Identifier: BSL-1.0
#pragma once
/// A graphics processor played by this one, thread by thread, beside <espalier.hpp>: the programs, kernels and refusals of <espalier/cuda.hpp> with
/// neither a graphics processor nor its compiler. To test with: it is slow.
#include "device/cuda/default_machine.hpp"
#include "device/cuda/host_machine.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
struct machine_for<simulated_cuda> {
  using type = host_machine;
};
}  // namespace on_cuda

using on_cuda::cuda_error;

}  // namespace espalier

#include "device/cuda/device_tensor.hpp"
#include "device/cuda/engine.hpp"
#pragma GCC diagnostic pop
