// SPDX-License-Identifier: BSL-1.0
// expect: not a loss
// expect: is_loss<(espalier::)?optim::Adam
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 10>;

#ifdef SHOULD_FAIL
static_assert(esp::training_plan<Net, esp::optim::Adam, nn::SoftmaxLoss, esp::batch<32, 8>>.workspace_bytes < 100000);
#else
static_assert(esp::training_plan<Net, nn::SoftmaxLoss, esp::optim::Adam, esp::batch<32, 8>>.workspace_bytes < 100000);
#endif
