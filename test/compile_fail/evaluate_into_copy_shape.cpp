// SPDX-License-Identifier: BSL-1.0
// expect: evaluate_into\(x, y\): x has another shape than y
// expect: shape_is<(espalier::)?shape<3>, (espalier::)?shape<2> ?>
// expect-26: got \(3\), expected \(2\)
#include <espalier/eager/evaluate.hpp>

using espalier::shape;
using espalier::tensor;
using espalier::view;

#ifdef SHOULD_FAIL
void f(tensor<float, shape<3>> const& a, view<float, shape<2>> b) { espalier::evaluate_into(a, b); }
#else
void f(tensor<float, shape<3>> const& a, view<float, shape<3>> b) { espalier::evaluate_into(a, b); }
#endif
