// SPDX-License-Identifier: BSL-1.0
// expect: include <espalier/parallel.hpp> for threads
// expect-early: cpu_parallel<2>
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/parallel.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

esp::model<nn::Sequential<nn::Flatten, nn::Linear<64, 10>>, esp::cpu_parallel<2>> model;
