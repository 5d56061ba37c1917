// SPDX-License-Identifier: BSL-1.0
// expect: the third argument is not an optimizer
// expect-early: is_optimizer<float>
// expect-26: the third argument is not an optimizer, such as esp::optim::Adam\{\}; got float
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, 0.001f, esp::batch<32, 8, 8>{}}; }
#else
void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}}; }
#endif
