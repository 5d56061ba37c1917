// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{model, loss, optimizer, batch, more\.\.\.\}: the net has a SyncBatchNorm; its batches may differ in their number of samples only
// expect: differ_in_samples_only<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Conv<3, 4, esp::rows_columns{3, 3}>, nn::SyncBatchNorm<4>, nn::GlobalAvgPool<>,
                           nn::Linear<4, 5>>;

// A process with larger images has more values for each of its samples: the weights of samples are not those of values.
#ifdef SHOULD_FAIL
using Other = esp::batch<8, 3, 16, 16>;
#else
using Other = esp::batch<2, 3, 8, 8>;
#endif
void train(esp::model<Net, esp::distributed<>>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<8, 3, 8, 8>{}, Other{}};
  trainer.join();
}
