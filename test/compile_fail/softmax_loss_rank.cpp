// SPDX-License-Identifier: BSL-1.0
// expect: the loss does not accept this prediction and target
// expect: one_label_a_row<(espalier::)?shape<32, 4, 10>, (espalier::)?shape<32> ?>
// expect-early: shape<32, 4, 10>
// expect-early: shape<32>
// expect-26: the loss does not accept this prediction and target; one label a row: \(32, 4, 10\) and \(32\), in SoftmaxLoss
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 4, 8>{}}; }
#else
using Net = nn::Linear<8, 10>;
void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8>{}}; }
#endif
