// SPDX-License-Identifier: BSL-1.0
// expect: a batch is written esp::batch<N, ...>{}
// expect-early: is_batch<int>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, 32}; }
#else
void f(esp::model<Net>& model) { esp::trainer train{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<32, 8, 8>{}}; }
#endif
