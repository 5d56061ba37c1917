// SPDX-License-Identifier: BSL-1.0
// expect: not an optimizer
// expect: is_optimizer<int>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 10>;

#ifdef SHOULD_FAIL
static_assert(esp::training_plan<Net, nn::SoftmaxLoss, int, esp::batch<32, 8>>.workspace_bytes < 100000);
#else
static_assert(esp::training_plan<Net, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<32, 8>>.workspace_bytes < 100000);
#endif
