// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "base/diagnostics_push.hpp"

/// The names of layers and kernels as ranges in NVIDIA's tools, for models of esp::profiled<esp::cuda>. Include it
/// together with <espalier/report/device_profile.hpp>. It needs the header of NVTX 3, which is part of the CUDA
/// toolkit, and no library.
#include "device/cuda/library/nvtx_ranges.hpp"
#include "base/diagnostics_pop.hpp"
