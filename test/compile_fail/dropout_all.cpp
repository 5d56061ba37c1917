// SPDX-License-Identifier: BSL-1.0
// expect: nn::Dropout<P>: the probability P of dropping an element must be in \[0, 1\)
// expect-early: Dropout<
// expect-26: must be in \[0, 1\); got 1
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::Dropout<1.0>> net;
#else
espalier::model<nn::Dropout<0.9>> net;
#endif
