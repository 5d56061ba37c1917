// SPDX-License-Identifier: BSL-1.0
// expect: nn::nam::Stack<stack, Activation, dilations...>: all numbers must be at least 1, with a dilation for each layer
// expect-26: channels 0
#include <espalier/nn/nam.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::nam::Stack<nn::nam::stack{.channels = 0}, nn::Tanh, 1, 2> stack;
#else
nn::nam::Stack<nn::nam::stack{.channels = 1}, nn::Tanh, 1, 2> stack;
#endif
