// SPDX-License-Identifier: BSL-1.0
// expect: view = expression: the view is of const elements; write view<T, S>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
void f(view<float const, shape<2, 3>> a, view<float const, shape<2, 3>> b) { a = b + b; }
#else
void f(view<float, shape<2, 3>> a, view<float const, shape<2, 3>> b) { a = b + b; }
#endif
