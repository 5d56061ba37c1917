// SPDX-License-Identifier: BSL-1.0
// expect: the initialiser must have the nesting and the counts of the shape
// expect-early: initializer_counts<.*shape<2, 3>, .*unequal_parts<float ?\[3\], float ?\[2\]>
// expect-26: the counts of the shape; the shape is \(2, 3\), the initialiser unequal parts \(float ?\[3\], float ?\[2\]\)
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
tensor<float, shape<2, 3>> x{{1, 2, 3}, {4, 5}};
#else
tensor<float, shape<2, 3>> x{{1, 2, 3}, {4, 5, 6}};
#endif
