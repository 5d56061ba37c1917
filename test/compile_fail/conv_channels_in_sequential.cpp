// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Conv<8, 8
// expect-early: kernel_channels<(espalier::)?channels<16>, (espalier::)?kernel_inputs<8>, (espalier::)?groups<1>, (espalier::)?kernel_outputs<8> ?>
// expect-early: layer<2, 3>
// net: (espalier::)?(nn::)?Conv<[^>]*> ?
#include <espalier/model/predictor.hpp>
#include <espalier/nn/conv.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/nn/pooling.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Conv<3, 16, 3>, nn::ReLU, nn::Conv<8, 8, 3>>;
#else
using Net = nn::Sequential<nn::Conv<3, 16, 3>, nn::ReLU, nn::Conv<16, 8, 3>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 3, 8, 8>> const& x) { return model(x); }
