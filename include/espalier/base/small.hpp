// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

/// ESPALIER_SMALL: define it for every source file of a program, and its code is small rather than fast, for processors
/// with little flash. Kernels compute number by number in loops: fused groups have packs of one number
/// (device/cpu/kernel/one_lane.hpp), products of several rows share one function
/// (device/cpu/product/contract_small.hpp), and each elementary function is compiled once.
///
/// bits    those of kernels without it: sums have the same order. Without ESPALIER_SEPARATE_ROUNDING compilers may fuse
///         other products and sums, and bias corrections of Adam may differ in the last digit of a double
/// memory  the same
/// errors  in a program without exceptions, an error without an error handler prints nothing and traps: printing and
///         abort() take 3 KB
/// cost    kernels have no vector registers. Convolutions, products of one row or column, and sums down columns over
///         all elements keep their kernels
#if defined(ESPALIER_SMALL)
#define ESPALIER_IS_SMALL 1
#else
#define ESPALIER_IS_SMALL 0
#endif
