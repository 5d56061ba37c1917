// SPDX-License-Identifier: BSL-1.0
// expect: stack<axis>\(a, b, ...\): the operands must have one shape, and the axis must be an axis position of the result
// expect: stackable<(espalier::)?shape<4, 5>, (espalier::)?shape<4, 3>, (espalier::)?along<0> ?>
// expect-early: shape<4, 3>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& a, tensor<float, shape<4, 3>> const& b) { return stack<0>(a, b); }
#else
auto f(tensor<float, shape<4, 5>> const& a, tensor<float, shape<4, 5>> const& b) { return stack<0>(a, b); }
#endif
