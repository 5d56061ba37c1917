// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Linear<64, 10
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<29, 72>, (espalier::)?shape<64, 10> ?>
// expect-early: shape<29, 72>
// expect-early: shape<64, 10>
// expect-early: layer<1, 2>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}, esp::batch<29, 8, 9>{}};
}
#else
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}, esp::batch<29, 8, 8>{}};
}
#endif
