// SPDX-License-Identifier: BSL-1.0
// expect: tensor<T, S, cuda_parallel<N>>: a model on several devices takes tensors of the host; write tensor<T, S>
// expect: on_one_device<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

// A step divides images of the host.
#ifdef SHOULD_FAIL
using device = esp::simulated_cuda_parallel<2>;
#else
using device = esp::cpu;
#endif
using images = esp::tensor<float, esp::shape<4, 8>, device>;
static_assert(sizeof(images) > 0);
