// SPDX-License-Identifier: BSL-1.0
// expect: nn::RNNCell<in, hidden>: in and hidden must be at least 1
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::RNNCell<3, 0>> net;
#else
espalier::model<nn::RNNCell<3, 4>> net;
#endif
