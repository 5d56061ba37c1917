// SPDX-License-Identifier: BSL-1.0
// expect: nn::Repeat<Count, Block>: Count must be at least 0
// expect-early: Repeat<
// lines: 12
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::Repeat<-1, nn::ReLU> net;
#else
nn::Repeat<1, nn::ReLU> net;
#endif
