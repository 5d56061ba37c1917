// SPDX-License-Identifier: BSL-1.0
// expect: nn::nam::Stack<stack, Activation, dilations...>: all numbers must be at least 1, with a dilation for each layer
// expect-26: channels 0
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nam.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::nam::Stack<nn::nam::stack{.channels = 0}, nn::Tanh, 1, 2>> net;
#else
espalier::model<nn::nam::Stack<nn::nam::stack{.channels = 1}, nn::Tanh, 1, 2>> net;
#endif
