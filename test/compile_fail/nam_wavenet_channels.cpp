// SPDX-License-Identifier: BSL-1.0
// lines: 10
// expect: nn::nam::WaveNet<Stacks...>: inputs of a stack must be the channels of the one before it, its channels the head of that, and condition the inputs of the first
#include <espalier/model/model.hpp>
#include <espalier/nn/nam.hpp>

namespace nn = espalier::nn;
template <int Inputs>
using Amp = nn::nam::WaveNet<nn::nam::Stack<nn::nam::stack{.channels = 4, .head = 2}, nn::Tanh, 1, 2>,
                             nn::nam::Stack<nn::nam::stack{.inputs = Inputs, .channels = 2, .head = 1}, nn::Tanh, 1>>;

#ifdef SHOULD_FAIL
espalier::model<Amp<3>> net;  // the stack before it has 4 channels
#else
espalier::model<Amp<4>> net;
#endif
