// SPDX-License-Identifier: BSL-1.0
#include "cuda_step.hpp"

void bench::add_small_step(measurements& to) { add_step<64, 64, 3, 32>(to); }
