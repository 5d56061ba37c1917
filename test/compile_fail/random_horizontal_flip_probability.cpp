// SPDX-License-Identifier: BSL-1.0
// expect: nn::RandomHorizontalFlip<P>: the probability P of a flip must be in \[0, 1\]
// expect-early: RandomHorizontalFlip<
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::RandomHorizontalFlip<1.5>> net;
#else
esp::model<nn::RandomHorizontalFlip<0.5>> net;
#endif
