// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: LSTM<4
// expect-early: sequence_input<4
// expect-early: shape<5, 2, 8>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Outputs<nn::LSTM<4, 6>>, nn::Linear<6, 3>>;
#else
using Net = nn::Sequential<nn::Outputs<nn::LSTM<8, 6>>, nn::Linear<6, 3>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<5, 2, 8>> const& x) { return model(x); }
