// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Conv<16, 8
// expect-early: kernel_fits<(espalier::)?kernel<7>, (espalier::)?width<3>, (espalier::)?padding<1, 1>, (espalier::)?dilation<1> ?>
// expect-early: layer<2, 3>
// net: (espalier::)?(nn::)?Conv<[^>]*> ?
#include <espalier/model/predictor.hpp>
#include <espalier/nn/conv.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/nn/pooling.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Conv<3, 16, 3>, nn::ReLU, nn::Conv<16, 8, 7, nn::conv{.padding = {3, 1}}>>;
#else
using Net = nn::Sequential<nn::Conv<3, 16, 3>, nn::ReLU, nn::Conv<16, 8, 7, nn::conv{.padding = {3, 2}}>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 3, 8, 3>> const& x) { return model(x); }
