// SPDX-License-Identifier: BSL-1.0
// expect: flip<axes...>\(x\): an axis does not exist in the shape, or is named twice
// expect: axes_exist<(espalier::)?shape<4, 5>, (espalier::)?axes<2> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return flip<2>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return flip<1>(x); }
#endif
