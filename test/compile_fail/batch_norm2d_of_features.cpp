// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: BatchNorm2d<8
// expect-early: number_of_axes<4, (espalier::)?shape<2, 8> ?>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::BatchNorm2d<8>;
#else
using Net = nn::BatchNorm1d<8>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 8>> const& x) { return model(x); }
