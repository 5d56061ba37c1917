// SPDX-License-Identifier: BSL-1.0
// expect: compile this file with your C\+\+ compiler; nvcc only compiles the kernels
#ifdef SHOULD_FAIL
#define __CUDACC__
#include <espalier/cuda.hpp>
#endif
