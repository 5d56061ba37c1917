// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<64, 81>, (espalier::)?shape<64, 10> ?>
// expect-early: shape<-1000000064, 9, 9>
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model) { esp::predictor classify{model, esp::batch<esp::up_to<64>, 9, 9>{}}; }
#else
void f(esp::model<Net> const& model) { esp::predictor classify{model, esp::batch<esp::up_to<64>, 8, 8>{}}; }
#endif
