// SPDX-License-Identifier: BSL-1.0
// expect: view = expression: formulas are computed in float or double, which a tensor of integers does not accept
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
void f(view<std::int32_t const, shape<4>> a, view<std::int32_t, shape<4>> b) { b = a + a; }
#else
void f(view<std::int32_t const, shape<4>> a, view<float, shape<4>> b) { b = a + a; }
#endif
