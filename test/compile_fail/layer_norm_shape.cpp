// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: LayerNorm<
// expect-early: last_axes<(espalier::)?shape<3, 4>, (espalier::)?shape<2, 3, 5> ?>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::LayerNorm<esp::shape<3, 4>>;
#else
using Net = nn::LayerNorm<esp::shape<3, 5>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 3, 5>> const& x) { return model(x); }
