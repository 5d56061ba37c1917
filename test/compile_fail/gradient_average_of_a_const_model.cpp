// SPDX-License-Identifier: BSL-1.0
// expect: gradient_average\{processes, model\}: the model is const, but this call changes it
// expect: may_change<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Linear<8, 16>, nn::ReLU>;

// It continues with the parameters of process 0.
#ifdef SHOULD_FAIL
void train(esp::processes& all, esp::model<Net> const& model) {
#else
void train(esp::processes& all, esp::model<Net>& model) {
#endif
  esp::gradient_average average{all, model};
  esp::gradients<Net> total;
  average(total, 32);
}
