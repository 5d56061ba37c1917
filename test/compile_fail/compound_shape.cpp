// SPDX-License-Identifier: BSL-1.0
// expect: x \+= y would change the shape of x; write auto z = evaluate\(x \+ y\)
// expect-early: shape<2, 3>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape, espalier::tensor;

#ifdef SHOULD_FAIL
void f(tensor<float, shape<3>>& y, tensor<float, shape<2, 3>> const& x) { y += x * 2; }
#else
void f(tensor<float, shape<2, 3>>& y, tensor<float, shape<3>> const& x) { y += x * 2; }
#endif
