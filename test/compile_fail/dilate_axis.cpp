// SPDX-License-Identifier: BSL-1.0
// expect: dilate<dilation, axes...>\(x\): an axis does not exist or is named twice, or the dilation is negative
// expect: movable<(espalier::)?shape<4, 5>, (espalier::)?dilating<1, 0, 2> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return dilate<1, 0, 2>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return dilate<1, 0, 1>(x); }
#endif
