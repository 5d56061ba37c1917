// SPDX-License-Identifier: BSL-1.0
#pragma once
/// The simulated device with a backend of the test: test::own_backend, which the test defines before it includes this.
#include <espalier/device/cuda/library/default_backend.hpp>

namespace espalier {
struct simulated_cuda {};
template <>
struct detail::storage_on<simulated_cuda> {
  static constexpr bool included = true;
};
template <>
struct on_cuda::backend_for<simulated_cuda> {
  using type = test::own_backend;
};
}  // namespace espalier

#include <espalier/device/cuda/tensor/device_tensor.hpp>
#include <espalier/device/cuda/engine.hpp>
