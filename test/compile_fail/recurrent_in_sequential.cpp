// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: layer_returns_one<.*GRU<
// expect-early: layer<1, 3>
// expect-26: GRU<4, 5, .*> returns 2 values; nn::Outputs<Layer> and nn::LastOutput<Layer> of a recurrent layer return one, layer 1 of 3
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using GRU = nn::GRU<4, 5, nn::gru{.batch_first = true}>;
#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<3, 4>, GRU, nn::Linear<5, 2>>;
#else
using Net = nn::Sequential<nn::Linear<3, 4>, nn::Outputs<GRU>, nn::Linear<5, 2>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 6, 3>> const& x) { return model(x); }
