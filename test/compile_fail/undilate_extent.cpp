// SPDX-License-Identifier: BSL-1.0
// expect: or its extent is not a multiple of dilation \+ 1
// expect: movable<(espalier::)?shape<4, 5>, (espalier::)?undilating<1, 1> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return undilate<1, 1>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return undilate<1, 0>(x); }
#endif
