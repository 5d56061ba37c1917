// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<64, 9>, (espalier::)?shape<8, 4> ?>
// lines: 12
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using batch = esp::batch<esp::up_to<64>, 9>;
#else
using batch = esp::batch<esp::up_to<64>, 8>;
#endif
void f(esp::model<nn::Linear<8, 4>>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, batch{}};
}
