// SPDX-License-Identifier: BSL-1.0
// expect: processes that train together use fixed batch sizes
#include <espalier.hpp>
#include <espalier/distributed.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

#ifdef SHOULD_FAIL
using batch = esp::batch<esp::up_to<32>, 8>;
#else
using batch = esp::batch<32, 8>;
#endif
void train(esp::model<Net, esp::distributed<>>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::SGD{}, batch{}};
  trainer.learning_rate() = 0.1f;
}
