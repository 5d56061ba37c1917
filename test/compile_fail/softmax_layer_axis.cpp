// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: axes_exist<(espalier::)?shape<4, 16>, (espalier::)?axes<2> ?>
// expect-early: axes<2>
// expect-early: Softmax<2>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Softmax<2>;
#else
using Net = nn::Softmax<1>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 16>> const& x) { return model(x); }
