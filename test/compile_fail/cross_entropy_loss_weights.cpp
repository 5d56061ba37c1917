// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not accept this prediction and target
// expect: one_weight_a_class<(espalier::)?shape<32, 10>, (espalier::)?shape<2> ?>
// expect-early: shape<32, 10>
// expect-early: shape<2>
// net: class_weights<((espalier::nn::|nn::)?real\{[^}]*\}(, )?)* ?>
// net: (espalier::)?label_loss\{[^}]*\}
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::CrossEntropyLoss<esp::label_loss{}, nn::class_weights<1.0, 2.0>>{}, optim::Adam{},
                     esp::batch<32, 8>{}};
}
#else
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::CrossEntropyLoss<esp::label_loss{}>{}, optim::Adam{}, esp::batch<32, 8>{}};
}
#endif
