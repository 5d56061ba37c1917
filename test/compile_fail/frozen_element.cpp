// SPDX-License-Identifier: BSL-1.0
// expect: frozen\(x, scores\): x or scores has another element type than the model
// expect-early: double
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<1, 8, 8>> const& x,
       esp::tensor<double, esp::shape<1, 10>>& scores) {
#else
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<1, 8, 8>> const& x,
       esp::tensor<float, esp::shape<1, 10>>& scores) {
#endif
  esp::frozen net{model, esp::batch<1, 8, 8>{}};
  net(x, scores);
}
