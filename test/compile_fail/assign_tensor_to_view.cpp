// SPDX-License-Identifier: BSL-1.0
// expect: view = x: evaluate_into\(x, view\) copies the elements of a tensor or view, view.rebind\(x\) makes the view refer to them
#include <espalier/eager/evaluate.hpp>

using espalier::shape;

#ifdef SHOULD_FAIL
void f(espalier::view<float, shape<2, 3>> a, espalier::tensor<float, shape<2, 3>> const& b) { a = b; }
#else
void f(espalier::view<float, shape<2, 3>> a, espalier::tensor<float, shape<2, 3>> const& b) {
  espalier::evaluate_into(b, a);
}
#endif
