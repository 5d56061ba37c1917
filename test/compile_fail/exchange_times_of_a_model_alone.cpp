// SPDX-License-Identifier: BSL-1.0
// expect: trainer\.exchange_times\(\): is for a model<Net, distributed<>>, which trains together with other processes
// expect: trains_with_others<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

#ifdef SHOULD_FAIL
void train(esp::model<Net>& model) {
#else
void train(esp::model<Net, esp::distributed<>>& model) {
#endif
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 8>{}};
  (void)trainer.exchange_times().bytes;
}
