// SPDX-License-Identifier: BSL-1.0
// expect: nn::nam::LSTM<hidden, layers, in>: all numbers must be at least 1
// expect-26: layers 0
#include <espalier/nn/nam.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::nam::LSTM<8, 0> net;
#else
nn::nam::LSTM<8, 1> net;
#endif
