// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, distributed<Device>>: Device must be cpu, cpu_parallel<N> or cuda
#include <espalier.hpp>
#include <espalier/simulated_cuda_distributed.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// A process has one graphics processor.
#ifdef SHOULD_FAIL
void train(esp::model<Net, esp::distributed<esp::simulated_cuda_parallel<2>>>& model) {
#else
void train(esp::model<Net, esp::distributed<esp::simulated_cuda>>& model) {
#endif
  (void)model.parameters();
}
