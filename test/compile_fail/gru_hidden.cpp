// SPDX-License-Identifier: BSL-1.0
// expect: nn::GRU<in, hidden, gru>: in, hidden and layers must be at least 1, dropout in \[0, 1\); dropout is between layers, so it requires 2 of them
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::GRU<3, 0> layer;
#else
nn::GRU<3, 4> layer;
#endif
