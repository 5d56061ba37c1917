// SPDX-License-Identifier: BSL-1.0
// expect: nn::Dropout<P>: the probability P of dropping an element must be in \[0, 1\)
// expect-early: Dropout<
// expect-26: must be in \[0, 1\); got 1
// lines: 12
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::Dropout<1.0> drop;
#else
nn::Dropout<0.9> drop;
#endif
