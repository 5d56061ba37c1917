// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: layer_returns_one<.*LSTM<
// expect-26: LSTM<4, 4, .*> returns 3 values
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using LSTM = nn::LSTM<4, 4>;
#ifdef SHOULD_FAIL
using Net = nn::Repeat<2, LSTM>;
#else
using Net = nn::Repeat<2, nn::Outputs<LSTM>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<6, 2, 4>> const& x) { return model(x); }
