// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect-early: axes_exist<(espalier::)?shape<2, 4, 3>, (espalier::)?axes<3> ?>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::BatchNorm<3, 3>;
#else
using Net = nn::BatchNorm<3, 2>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 4, 3>> const& x) { return model(x); }
