// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: MaskedDropout<
// expect: same_shape<(espalier::)?shape<3, 8>, (espalier::)?shape<4, 8> ?>
// expect-early: shape<3, 8>
// expect-early: shape<4, 8>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::MaskedDropout<0.5, esp::shape<4, 8>>;
#else
using Net = nn::MaskedDropout<0.5, esp::shape<3, 8>>;
#endif

auto f(esp::model<Net> const& model, esp::tensor<float, esp::shape<3, 8>> const& x) { return model(x); }
