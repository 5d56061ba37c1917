// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

/// The one place below device/cuda that knows nvcc, but for a warning that graph/descriptor.hpp turns off.
#if defined(__CUDACC__)
#define ESPALIER_EVERYWHERE __host__ __device__
#else
#define ESPALIER_EVERYWHERE
#endif

/// Kernel pieces must be inlined into their loop, also at -O1: an accumulator that is passed by reference through a real call lives in memory.
#define ESPALIER_INLINE inline __attribute__((always_inline))
