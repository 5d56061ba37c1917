// SPDX-License-Identifier: BSL-1.0
// expect: cpu_parallel<N>: N must be 1 to 64 threads
// expect-early: cpu_parallel<0>
#include <espalier.hpp>
#include <espalier/parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
constexpr int threads = 0;
#else
constexpr int threads = 1;
#endif

esp::model<nn::Sequential<nn::Flatten, nn::Linear<64, 10>>, esp::cpu_parallel<threads>> model;
