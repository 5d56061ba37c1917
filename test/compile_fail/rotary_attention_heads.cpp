// SPDX-License-Identifier: BSL-1.0
// expect: RotaryAttention<features, heads, key heads>: heads must divide features, key heads must divide heads, and features / heads must be even
// expect: RotaryAttention<24, 6, 4
// expect-26: must be even; features 24, heads 6, key heads 4
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::RotaryAttention<24, 6, 4>> net;
#else
espalier::model<nn::RotaryAttention<24, 6, 3>> net;
#endif
