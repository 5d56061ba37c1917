// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not accept this prediction and target
// expect: scalar_result<(espalier::)?shape<32, 10> ?>
// expect-early: scalar_result
// expect-early: shape<32, 10>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::L1Loss<esp::reduce::none>{}, optim::Adam{}, esp::batch<32, 8>{}};
}
#else
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::L1Loss<esp::reduce::sum>{}, optim::Adam{}, esp::batch<32, 8>{}};
}
#endif
