// SPDX-License-Identifier: BSL-1.0
// expect: rotary_embedding\(x\): x is \(..., positions, features\), with an even number of features and at most 5 axes
// expect: rotates<(espalier::)?shape<2, 4, 7> ?>
// expect-26: at most 5 axes; x is \(2, 4, 7\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
constexpr int features = 7;
#else
constexpr int features = 8;
#endif
auto f(tensor<float, shape<2, 4, features>> const& x) { return rotary_embedding<{.interleaved = false}>(x); }
