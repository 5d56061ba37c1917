// SPDX-License-Identifier: BSL-1.0
// expect: view = expression: the expression has another shape than the tensor
// expect: shape<2>
// expect: shape<3>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
void f(view<float, shape<3>> c, view<float const, shape<2, 3>> a) { c = sum<1>(a); }
#else
void f(view<float, shape<3>> c, view<float const, shape<2, 3>> a) { c = sum<0>(a); }
#endif
