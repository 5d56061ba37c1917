// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: axes_exist<(espalier::)?shape<8>, (espalier::)?axes<-2> ?>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::LayerNorm<esp::shape<4, 8>>;
#else
using Net = nn::LayerNorm<esp::shape<8>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<8>> const& x) { return model(x); }
