// SPDX-License-Identifier: BSL-1.0
// expect: split<axis, sections...>\(x\): the sections must be positive and add up to the extent of the axis
// expect: fills_axis<(espalier::)?shape<4, 5>, (espalier::)?along<1>, (espalier::)?to<2, 2> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return split<1, 2, 2>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return split<1, 2, 3>(x); }
#endif
