// SPDX-License-Identifier: BSL-1.0
// expect: nn::GRUCell<in, hidden>: in and hidden must be at least 1
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::GRUCell<3, 0> cell;
#else
nn::GRUCell<3, 4> cell;
#endif
