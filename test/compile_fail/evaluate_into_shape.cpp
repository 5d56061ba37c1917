// SPDX-License-Identifier: BSL-1.0
// expect: evaluate_into\(expression, tensor\): the expression has another shape than the tensor
// expect-early: shape<3>
// expect-early: shape<2>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

namespace esp = espalier;
using vector = esp::tensor<float, esp::shape<3>>;

#ifdef SHOULD_FAIL
void f(vector const& a, esp::tensor<float, esp::shape<2>>& b) { esp::evaluate_into(a + 1, b); }
#else
void f(vector const& a, vector& b) { esp::evaluate_into(a + 1, b); }
#endif
