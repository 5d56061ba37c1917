// SPDX-License-Identifier: BSL-1.0
// expect: evaluate_into\(expression, view\): the expression has another shape than the tensor
// expect: shape<3>
// expect: shape<2>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
void f(view<float const, shape<3>> a, view<float, shape<2>> b) { espalier::evaluate_into(a + 1, b); }
#else
void f(view<float const, shape<3>> a, view<float, shape<3>> b) { espalier::evaluate_into(a + 1, b); }
#endif
