// SPDX-License-Identifier: BSL-1.0
// The streams in RTNeural with its backend on xsimd: needs -Drtneural_dir=FOLDER, the folder of a checkout.
#define RTNEURAL_USE_XSIMD 1
#define RTNEURAL_DEFAULT_ALIGNMENT 64
#define RTNEURAL_NAMESPACE RTNeural
#define BENCH_RTNEURAL "rtneural_xsimd"
#include <RTNeural/RTNeural.h>

#include "rtneural_streams.hpp"
