// SPDX-License-Identifier: BSL-1.0
// The streams in RTNeural with its backend on Eigen, of its own checkout. The namespace keeps both backends in one
// program.
#define RTNEURAL_USE_EIGEN 1
#define RTNEURAL_DEFAULT_ALIGNMENT 32
#define RTNEURAL_NAMESPACE rtneural_eigen
#define BENCH_RTNEURAL "rtneural_eigen"
#include <RTNeural/RTNeural.h>
namespace RTNeural = rtneural_eigen;

#include "rtneural_streams.hpp"
