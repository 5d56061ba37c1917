// SPDX-License-Identifier: BSL-1.0
// expect: MultiheadAttention<features, heads>: heads must divide features
// expect: MultiheadAttention<10, 4
// expect-26: heads must divide features; features 10, heads 4
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::MultiheadAttention<10, 4> attention;
#else
nn::MultiheadAttention<12, 4> attention;
#endif
