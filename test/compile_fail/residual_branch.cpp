// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Residual<
// expect: branch_keeps_shape<(espalier::)?(nn::)?branch<4, 12>, (espalier::)?(nn::)?input<4, 16> ?>
// expect-early: branch<4, 12>
// expect-early: input<4, 16>
// expect-early: layer<1, 2>
// expect-26: a layer does not fit its input; Residual adds its branch \(4, 12\) to its input \(4, 16\), in Residual, layer 1 of 2
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<8, 16>, nn::Residual<nn::Linear<16, 12>>>;
#else
using Net = nn::Sequential<nn::Linear<8, 16>, nn::Residual<nn::Linear<16, 16>>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
