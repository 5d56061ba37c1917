// SPDX-License-Identifier: BSL-1.0
// expect: nn::RNN<in, hidden, rnn>: in, hidden and layers must be at least 1, dropout in \[0, 1\); dropout is between layers, so it requires 2 of them
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::RNN<3, 4, nn::rnn{.layers = 0}> layer;
#else
nn::RNN<3, 4, nn::rnn{.layers = 1}> layer;
#endif
