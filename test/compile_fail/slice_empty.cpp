// SPDX-License-Identifier: BSL-1.0
// expect: slice<axis, begin, end, step>\(x\): the range is not inside the axis, or is empty
// expect: movable<(espalier::)?shape<4, 5>, (espalier::)?slicing<0, 3, 1, 1> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return slice<0, 3, 1>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return slice<0, 3, 1, -1>(x); }
#endif
