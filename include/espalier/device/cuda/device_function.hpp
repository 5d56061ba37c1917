// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/supported.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// Where the device's code of a kernel is found. The host's compiler only sees the declaration: the object file then asks for
/// espalier::on_cuda::device_function<Kernel>::address(), and whoever compiles kernels for the device gives it (device/cuda/cuda_context.cuh) with
///   template struct espalier::on_cuda::device_function<Kernel>;
template <class Kernel>
struct device_function {
  /// What cudaLaunchKernelExC takes: the address of the host's side of the kernel. Its one parameter is a Kernel::table.
  static void const* address();
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
