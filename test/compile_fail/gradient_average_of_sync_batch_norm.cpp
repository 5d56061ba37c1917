// SPDX-License-Identifier: BSL-1.0
// expect: gradient_average\{processes, model\}: the net has a SyncBatchNorm
// expect: has_own_statistics<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using Norm = nn::SyncBatchNorm<16>;
#else
using Norm = nn::BatchNorm<16>;
#endif
using Net = nn::Sequential<nn::Linear<8, 16>, Norm>;

// The model is one process's own, so its norms have its own statistics.
void train(esp::processes& all, esp::model<Net>& model) {
  esp::gradient_average average{all, model};
  esp::gradients<Net> total;
  average(total, 32);
}
