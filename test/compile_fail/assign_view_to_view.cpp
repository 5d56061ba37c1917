// SPDX-License-Identifier: BSL-1.0
// expect: view = x: evaluate_into\(x, view\) copies the elements of a tensor or view, view.rebind\(x\) makes the view refer to them
#include <espalier/eager/evaluate.hpp>

using espalier::shape;
using espalier::view;

#ifdef SHOULD_FAIL
void f(view<float, shape<2, 3>> a, view<float, shape<2, 3>> b) { a = b; }
#else
void f(view<float, shape<2, 3>> a, view<float, shape<2, 3>> b) {
  espalier::evaluate_into(b, a);
  a.rebind(b);
}
#endif
