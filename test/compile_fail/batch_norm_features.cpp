// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: BatchNorm1d<8
// expect-early: normalized_features<8, 16>
// expect-early: layer<1, 2>
// expect-26: a layer does not fit its input; expected 8 features, got 16, of \(4, 16\), in BatchNorm1d<8>, layer 1 of 2
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<8>>;
#else
using Net = nn::Sequential<nn::Linear<8, 16>, nn::BatchNorm1d<16>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 8>> const& x) { return model(x); }
