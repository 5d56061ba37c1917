// SPDX-License-Identifier: BSL-1.0
// expect: stack<axis>\(a, b, ...\): the operands must have one shape, and the axis must be an axis position of the result
// expect: stackable<(espalier::)?shape<4, 5>, (espalier::)?shape<4, 5>, (espalier::)?along<3> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return stack<3>(x, x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return stack<2>(x, x); }
#endif
