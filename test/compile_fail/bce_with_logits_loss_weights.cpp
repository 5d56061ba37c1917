// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not accept this prediction and target
// expect: same_or_broadcast<(espalier::)?shape<32, 10>, (espalier::)?shape<32, 10>, (espalier::)?shape<3>
// expect-early: shape<32, 10>
// expect-early: shape<3>
// net: (espalier::nn::|nn::)?BCEWithLogitsLoss<(espalier::)?reduce::mean, (espalier::nn::|nn::)?class_weights<((espalier::nn::|nn::)?real\{[^}]*\}(, )?)* ?> ?>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::BCEWithLogitsLoss<esp::reduce::mean, nn::class_weights<1.0, 2.0, 3.0>>{}, optim::Adam{},
                     esp::batch<32, 8>{}};
}
#else
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::BCEWithLogitsLoss<esp::reduce::mean, nn::class_weights<3.0>>{}, optim::Adam{},
                     esp::batch<32, 8>{}};
}
#endif
