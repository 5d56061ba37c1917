// SPDX-License-Identifier: BSL-1.0
#include "cuda_step.hpp"

void bench::add_large_step(measurements& to) {
  add_step<1024, 1024, 8, 1024>(to);
  add_epoch<1024, 1024, 8, 1024, false>(to);
  add_epoch<1024, 1024, 8, 1024, true>(to);
}
