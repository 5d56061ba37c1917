// SPDX-License-Identifier: BSL-1.0
// expect: view = expression: the expression has another element type
// expect: same_element_as_tensor<float, double>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
void f(view<double, shape<3>> c, view<float const, shape<3>> a) { c = a * 2; }
#else
void f(view<float, shape<3>> c, view<float const, shape<3>> a) { c = a * 2; }
#endif
