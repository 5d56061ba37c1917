// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../base/supported.hpp"

namespace espalier::on_cuda {

/// Connects the host's object files with kernels that nvcc compiles. The host compiler sees only this declaration, so
/// the object file needs the symbol espalier::on_cuda::device_function<Kernel>::address(). The file that nvcc compiles
/// (it includes device/cuda/cuda_context.cuh) defines the symbol with
///   template struct espalier::on_cuda::device_function<Kernel>;
template <class Kernel>
struct device_function {
  /// The address of the kernel's host stub, for cudaLaunchKernelExC. The kernel's only parameter is a Kernel::table.
  static void const* address();
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
