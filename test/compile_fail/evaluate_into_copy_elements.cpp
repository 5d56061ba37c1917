// SPDX-License-Identifier: BSL-1.0
// expect: evaluate_into\(x, y\): x has another element type than y; convert with tensor<T, S>\(x\)
// expect: element_is<float, double>
#include <espalier/eager/evaluate.hpp>

using espalier::shape;
using espalier::tensor;
using espalier::view;

#ifdef SHOULD_FAIL
void f(tensor<float, shape<3>> const& a, view<double, shape<3>> b) { espalier::evaluate_into(a, b); }
#else
void f(tensor<float, shape<3>> const& a, view<double, shape<3>> b) {
  espalier::evaluate_into(tensor<double, shape<3>>(a), b);
}
#endif
