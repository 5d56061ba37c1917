// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<32, 81>, (espalier::)?shape<64, 10> ?>
// expect-early: shape<32, 81>
// expect-early: shape<64, 10>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
constexpr auto plan = esp::training_plan<Net, nn::SoftmaxLoss, optim::Adam, esp::batch<32, 9, 9>>;
static_assert(plan.workspace_bytes <= 32 * 1024);
#else
constexpr auto plan = esp::training_plan<Net, nn::SoftmaxLoss, optim::Adam, esp::batch<32, 8, 8>>;
static_assert(plan.workspace_bytes <= 32 * 1024);
#endif
