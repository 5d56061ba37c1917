// SPDX-License-Identifier: BSL-1.0
// expect: nn::Repeat<Count, Block>: Count must be at least 0
// expect-early: Repeat<
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::Repeat<-1, nn::ReLU>> net;
#else
espalier::model<nn::Repeat<1, nn::ReLU>> net;
#endif
