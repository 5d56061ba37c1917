// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<1, 32>, (espalier::)?shape<16, 10> ?>
// expect-early: shape<1, 32>
// expect-early: shape<16, 10>
#include <espalier/model/prediction_plan.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<64, 32>, nn::ReLU, nn::Linear<16, 10>>;
#else
using Net = nn::Sequential<nn::Linear<64, 32>, nn::ReLU, nn::Linear<32, 10>>;
#endif

static_assert(esp::prediction_plan<Net, esp::batch<1, 64>>.workspace_bytes <= 1024);
