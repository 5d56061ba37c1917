// SPDX-License-Identifier: BSL-1.0
// expect: Embedding<count, features, \{.padding_idx = i\}>: i must be 0 to count - 1, or -1 for none
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::Embedding<10, 4, {.padding_idx = 10}>> net;
#else
espalier::model<nn::Embedding<10, 4, {.padding_idx = 9}>> net;
#endif
