// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: BatchNorm1d<8
// expect: (espalier::)?axes_exist<(espalier::)?shape<8>, (espalier::)?axes<1> ?>
// expect-early: shape<8>
// expect-early: layer<1, 2>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::ReLU, nn::BatchNorm1d<8>>;
#else
using Net = nn::Sequential<nn::ReLU, nn::LayerNorm1d<8>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<8>> const& x) { return model(x); }
