// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: block_keeps_shape<(espalier::)?shape<4, 12>, (espalier::)?shape<4, 16> ?>
// expect-early: shape<4, 12>
// expect-early: shape<4, 16>
// expect-early: Repeat<3
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Repeat<3, nn::Linear<16, 12>>;
#else
using Net = nn::Repeat<3, nn::Linear<16, 16>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<4, 16>> const& x) { return model(x); }
