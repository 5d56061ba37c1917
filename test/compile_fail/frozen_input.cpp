// SPDX-License-Identifier: BSL-1.0
// expect: frozen\(x, scores\): x must have the shape of the frozen net's batch
// expect: shape_is<(espalier::)?shape<2, 8, 8>, (espalier::)?shape<1, 8, 8> ?>
// expect-early: shape<2, 8, 8>
// expect-early: shape<1, 8, 8>
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 8, 8>> const& x,
       esp::tensor<float, esp::shape<1, 10>>& scores) {
#else
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<1, 8, 8>> const& x,
       esp::tensor<float, esp::shape<1, 10>>& scores) {
#endif
  esp::frozen net{model, esp::batch<1, 8, 8>{}};
  net(x, scores);
}
