// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, cuda_parallel<N, BucketBytes>>: N must be 1 to 64 devices, and a bucket of gradients at least 1 byte
// expect: device_count<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// The number of devices is part of the type.
#ifdef SHOULD_FAIL
using device = esp::simulated_cuda_parallel<0>;
#else
using device = esp::simulated_cuda_parallel<1>;
#endif
esp::model<Net, device> model;
