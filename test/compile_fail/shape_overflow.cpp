// SPDX-License-Identifier: BSL-1.0
// expect: at most 2\^31 - 1 elements
// lines: 10
// expect-early: shape<2000000000, 2000000000, 2000000000>
#include <espalier/storage/tensor.hpp>

#ifdef SHOULD_FAIL
void f(espalier::tensor<float, espalier::shape<2000000000, 2000000000, 2000000000>>& x) { x.fill(1); }
#else
void f(espalier::tensor<float, espalier::shape<200, 200, 200>>& x) { x.fill(1); }
#endif
