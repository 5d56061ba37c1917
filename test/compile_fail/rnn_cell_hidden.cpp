// SPDX-License-Identifier: BSL-1.0
// expect: nn::RNNCell<in, hidden>: in and hidden must be at least 1
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::RNNCell<3, 0> cell;
#else
nn::RNNCell<3, 4> cell;
#endif
