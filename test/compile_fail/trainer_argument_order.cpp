// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{model, loss, optimizer, batch\.\.\.\}
// expect: is_loss<(espalier::)?optim::Adam>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) { esp::trainer train{model, optim::Adam{}, nn::SoftmaxLoss{}, esp::batch<32, 8, 8>{}}; }
#else
void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}}; }
#endif
