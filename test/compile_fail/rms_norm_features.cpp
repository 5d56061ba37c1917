// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: RMSNorm<
// expect-early: normalized_features<8, 16>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::RMSNorm<esp::shape<8>>;
#else
using Net = nn::RMSNorm<esp::shape<16>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 16>> const& x) { return model(x); }
