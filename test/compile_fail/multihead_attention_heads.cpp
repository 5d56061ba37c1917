// SPDX-License-Identifier: BSL-1.0
// expect: MultiheadAttention<features, heads>: heads must divide features
// expect: MultiheadAttention<10, 4
// expect-26: heads must divide features; features 10, heads 4
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::MultiheadAttention<10, 4>> net;
#else
espalier::model<nn::MultiheadAttention<12, 4>> net;
#endif
