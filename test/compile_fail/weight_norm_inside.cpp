// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: WeightNorm<
// expect-early: inner_dimensions<(espalier::)?shape<4, 16>, (espalier::)?shape<8, 3> ?>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::WeightNorm<nn::Linear<8, 3>>;
#else
using Net = nn::WeightNorm<nn::Linear<16, 3>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 16>> const& x) { return model(x); }
