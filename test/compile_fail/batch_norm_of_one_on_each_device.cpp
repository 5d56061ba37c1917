// SPDX-License-Identifier: BSL-1.0
// expect: net and loss fit the batch, but not the part of it that each device trains; BatchNorm needs two values per channel on each device
// expect: several_values_per_channel<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<16>, nn::ReLU, nn::Linear<16, 4>>;

// The statistics of a device are those of its own samples.
void train(esp::model<Net, esp::simulated_cuda_parallel<4>>& model) {
#ifdef SHOULD_FAIL
  using batch = esp::batch<4, 8>;
#else
  using batch = esp::batch<8, 8>;
#endif
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}};
  (void)trainer.steps();
}
