// SPDX-License-Identifier: BSL-1.0
// expect: slice<axis, begin, end, step>\(x\): the range is not inside the axis, or is empty
// expect: movable<(espalier::)?shape<4, 5>, (espalier::)?slicing<1, 2, 9, 1> ?>
// expect-early: shape<4, 5>
// expect-26: or is empty; x is \(4, 5\), slicing \(1, 2, 9, 1\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return slice<1, 2, 9>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return slice<1, 2, 5>(x); }
#endif
