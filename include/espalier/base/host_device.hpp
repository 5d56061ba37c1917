// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

/// Marks functions that nvcc compiles for host and device.
#if defined(__CUDACC__)
#define ESPALIER_HOST_DEVICE __host__ __device__
#else
#define ESPALIER_HOST_DEVICE
#endif

/// Parts of kernels must be inlined into their loop, also at -O1: an accumulator that is passed by reference to a real
/// call is kept in memory. Without optimisation it saves a fourth of the running time, but the largest kernels take two
/// and a half times as long to compile, and any net half as long again with sanitizers: -DESPALIER_INLINE=inline leaves
/// it to the compiler.
#if !defined(ESPALIER_INLINE)
#define ESPALIER_INLINE inline __attribute__((always_inline))
#endif
