// SPDX-License-Identifier: BSL-1.0
// net: (espalier::)?(nn::)?BatchNorm<[^>]*> ?
// expect: trainer\{model, loss, optimizer, batch\}: the net has a SyncBatchNorm, whose statistics processes with cpu or cpu_parallel<N> exchange; on this device use BatchNorm
// expect: statistics_of_all<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

// The devices of one process do not exchange statistics.
#ifdef SHOULD_FAIL
using Norm = nn::SyncBatchNorm<16>;
#else
using Norm = nn::BatchNorm<16>;
#endif
using Net = nn::Sequential<nn::Linear<8, 16>, Norm, nn::ReLU, nn::Linear<16, 4>>;
void train(esp::model<Net, esp::simulated_cuda_parallel<2>>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<8, 8>{}};
  (void)trainer.steps();
}
