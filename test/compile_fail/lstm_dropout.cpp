// SPDX-License-Identifier: BSL-1.0
// expect: nn::LSTM<in, hidden, lstm>: in, hidden and layers must be at least 1, dropout in \[0, 1\); dropout is between layers, so it requires 2 of them
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::LSTM<3, 4, nn::lstm{.dropout = 0.5}>> net;
#else
espalier::model<nn::LSTM<3, 4, nn::lstm{.layers = 2, .dropout = 0.5}>> net;
#endif
