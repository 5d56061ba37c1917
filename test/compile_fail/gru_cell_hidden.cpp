// SPDX-License-Identifier: BSL-1.0
// expect: nn::GRUCell<in, hidden>: in and hidden must be at least 1
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::GRUCell<3, 0>> net;
#else
espalier::model<nn::GRUCell<3, 4>> net;
#endif
