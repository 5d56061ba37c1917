// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{model, loss, optimizer, batch...\}: the second argument is not a loss
// expect-early: is_loss<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<4, 4>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& a, esp::model<Net>& b) {
  esp::trainer train{a, b, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}};
}
#else
void f(esp::model<Net>& a, esp::model<Net>&) {
  esp::trainer train{a, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<8, 4>{}};
}
#endif
