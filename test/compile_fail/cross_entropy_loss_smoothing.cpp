// SPDX-License-Identifier: BSL-1.0
// expect: label_loss\{.label_smoothing = e\}: e must be in \[0, 1\)
// expect-early: CrossEntropyLoss<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Linear<8, 10>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::CrossEntropyLoss<esp::label_loss{.label_smoothing = -0.1}>{}, optim::Adam{},
                     esp::batch<32, 8>{}};
}
#else
void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::CrossEntropyLoss<esp::label_loss{.label_smoothing = 0.1}>{}, optim::Adam{},
                     esp::batch<32, 8>{}};
}
#endif
