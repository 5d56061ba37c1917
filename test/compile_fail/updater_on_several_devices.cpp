// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: a model on several devices or processes is trained by a trainer and evaluated by a predictor
// expect: on_one_device<
#include <espalier.hpp>
#include <espalier/simulated_cuda_parallel.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// An updater has the gradients of one device.
#ifdef SHOULD_FAIL
void train(esp::model<Net, esp::simulated_cuda_parallel<2>>& model) {
#else
void train(esp::model<Net, esp::simulated_cuda>& model) {
#endif
  optim::updater adam{model, optim::Adam{}};
  adam.learning_rate() = 0.1;
}
