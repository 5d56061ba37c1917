// SPDX-License-Identifier: BSL-1.0
// expect: nn::MaskedDropout<P, S>: the probability P of dropping an element must be in \[0, 1\)
// expect-early: MaskedDropout<
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::MaskedDropout<1.5, esp::shape<3>>> net;
#else
espalier::model<nn::MaskedDropout<0.5, esp::shape<3>>> net;
#endif
