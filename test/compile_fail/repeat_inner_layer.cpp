// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: inner_dimensions<(espalier::)?shape<4, 16>, (espalier::)?shape<12, 16> ?>
// expect-early: shape<4, 16>
// expect-early: shape<12, 16>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Repeat<3, nn::Linear<12, 16>>;
#else
using Net = nn::Repeat<3, nn::Linear<16, 16>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 16>> const& x) { return model(x); }
