// SPDX-License-Identifier: BSL-1.0
// expect: trainer.exchange_times\(\): the exchange of graphics processors has no times
// expect: exchange_is_timed<
#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/simulated_cuda_distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

#ifdef SHOULD_FAIL
using device = esp::distributed<esp::simulated_cuda>;
#else
using device = esp::distributed<>;
#endif
void train(esp::model<Net, device>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::SGD{}, esp::batch<32, 8>{}};
  (void)trainer.exchange_times();
}
