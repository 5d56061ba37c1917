// SPDX-License-Identifier: BSL-1.0
// expect: tensor\(range\): a floating-point number does not fit a tensor of integers
// expect: number_converts<float, int>
// expect-26: got float, expected int32
#include <vector>

#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(std::vector<float> const& labels) { return tensor<std::int32_t, shape<4>>(labels); }
#else
auto f(std::vector<long> const& labels) { return tensor<std::int32_t, shape<4>>(labels); }
#endif
