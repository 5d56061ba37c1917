// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: a model on several devices or processes is trained by a trainer
// expect: on_one_device<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// An updater has the gradients of one process.
#ifdef SHOULD_FAIL
void train(esp::model<Net, esp::distributed<>>& model) {
#else
void train(esp::model<Net>& model) {
#endif
  esp::optim::updater adam{model, esp::optim::Adam{}};
  adam.learning_rate() = 0.1f;
}
