// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, cuda>: include <espalier/cuda.hpp> for models on the graphics processor .*distributed<cuda>: <espalier/cuda_distributed.hpp>
#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/simulated_cuda.hpp>
#ifndef SHOULD_FAIL
#include <espalier/simulated_cuda_distributed.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

void train(esp::model<Net, esp::distributed<esp::simulated_cuda>>& model) { (void)model.parameters(); }
