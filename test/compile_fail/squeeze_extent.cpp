// SPDX-License-Identifier: BSL-1.0
// expect: squeeze<axes...>\(x\): an axis does not exist, is named twice, or is longer than 1
// expect: axes_of_one<(espalier::)?shape<4, 1>, (espalier::)?axes<0> ?>
// expect-early: shape<4, 1>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 1>> const& x) { return squeeze<0>(x); }
#else
auto f(tensor<float, shape<4, 1>> const& x) { return squeeze<1>(x); }
#endif
