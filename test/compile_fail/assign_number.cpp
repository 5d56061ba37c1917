// SPDX-License-Identifier: BSL-1.0
// expect: tensor = number: x.fill\(number\) sets every element
// expect-early: shape<2, 3>
#include <espalier/storage/tensor.hpp>

using matrix = espalier::tensor<float, espalier::shape<2, 3>>;

#ifdef SHOULD_FAIL
void f(matrix& a) { a = 0; }
#else
void f(matrix& a) { a.fill(0); }
#endif
