// SPDX-License-Identifier: BSL-1.0
// expect: nn::nam::LSTM<hidden, layers, in>: all numbers must be at least 1
// expect-26: layers 0
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nam.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::nam::LSTM<8, 0>> net;
#else
espalier::model<nn::nam::LSTM<8, 1>> net;
#endif
