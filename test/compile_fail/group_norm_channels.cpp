// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: GroupNorm<2, 6
// expect-early: normalized_features<6, 8>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::GroupNorm<2, 6>;
#else
using Net = nn::GroupNorm<2, 8>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 8, 5>> const& x) { return model(x); }
