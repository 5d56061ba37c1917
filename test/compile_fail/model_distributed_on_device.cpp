// SPDX-License-Identifier: BSL-1.0
// expect: model<Net, distributed<Device>>: Device must be cpu or cpu_parallel<N>
#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/parallel.hpp>
#include <espalier/simulated_cuda.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// Processes exchange gradients in the memory of the host.
#ifdef SHOULD_FAIL
void train(esp::model<Net, esp::distributed<esp::simulated_cuda>>& model) {
#else
void train(esp::model<Net, esp::distributed<esp::cpu_parallel<2>>>& model) {
#endif
  (void)model.parameters();
}
