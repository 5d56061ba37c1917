// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Linear<64, 10
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<1, 81>, (espalier::)?shape<64, 10> ?>
// expect-early: shape<1, 81>
// expect-early: shape<64, 10>
// expect-early: layer<1, 2>
#include <espalier/model/frozen.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<1, 9, 9>> const& x,
       esp::tensor<float, esp::shape<1, 10>>& scores) {
  esp::frozen classify{model, esp::batch<1, 9, 9>{}};
  classify(x, scores);
}
#else
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<1, 8, 8>> const& x,
       esp::tensor<float, esp::shape<1, 10>>& scores) {
  esp::frozen classify{model, esp::batch<1, 8, 8>{}};
  classify(x, scores);
}
#endif
