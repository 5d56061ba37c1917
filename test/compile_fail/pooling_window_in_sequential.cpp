// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: MaxPool2d<
// expect-early: kernel_fits<(espalier::)?kernel<2>, (espalier::)?height<1>, (espalier::)?padding<0, 0>, (espalier::)?dilation<1> ?>
// expect-early: layer<2, 3>
// net: (espalier::)?(nn::)?MaxPool2d<[^>]*> ?
#include <espalier/model/predictor.hpp>
#include <espalier/nn/conv.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/nn/pooling.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::MaxPool2d<4>, nn::ReLU, nn::MaxPool2d<2>>;
#else
using Net = nn::Sequential<nn::MaxPool2d<4>, nn::ReLU, nn::MaxPool2d<1>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 3, 6, 6>> const& x) { return model(x); }
