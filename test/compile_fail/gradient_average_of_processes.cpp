// SPDX-License-Identifier: BSL-1.0
// expect: gradient_average\{processes, model\}: the model is a model<Net> or a model<Net, cpu_parallel<N>>
// expect: averages_on_host<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU, nn::Linear<16, 4>>;

// A trainer averages the gradients of such a model.
#ifdef SHOULD_FAIL
void train(esp::processes& all, esp::model<Net, esp::distributed<>>& model) {
#else
void train(esp::processes& all, esp::model<Net>& model) {
#endif
  esp::gradient_average average{all, model};
  esp::gradients<Net> total;
  average(total, 32);
}
