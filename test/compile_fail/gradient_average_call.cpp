// SPDX-License-Identifier: BSL-1.0
// expect: average\(gradients, samples\[, loss\]\): pass gradients of this model.s net
// expect: averages_call<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU>;

void train(esp::processes& all, esp::model<Net>& model) {
  esp::gradient_average average{all, model};
  esp::gradients<Net> total;
#ifdef SHOULD_FAIL
  average(total);
#else
  average(total, 32);
#endif
}
