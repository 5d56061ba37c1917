// SPDX-License-Identifier: BSL-1.0
// expect: gradient_average\{...\}: pass the processes that train together
// expect: averages_gradients_of<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU>;

void train(esp::processes& all, esp::model<Net>& model) {
#ifdef SHOULD_FAIL
  esp::gradient_average average{model, all};
#else
  esp::gradient_average average{all, model};
#endif
  esp::gradients<Net> total;
  average(total, 32);
}
