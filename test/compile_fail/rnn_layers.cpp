// SPDX-License-Identifier: BSL-1.0
// expect: nn::RNN<in, hidden, rnn>: in, hidden and layers must be at least 1, dropout in \[0, 1\); dropout is between layers, so it requires 2 of them
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::RNN<3, 4, nn::rnn{.layers = 0}>> net;
#else
espalier::model<nn::RNN<3, 4, nn::rnn{.layers = 1}>> net;
#endif
