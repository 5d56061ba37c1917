// SPDX-License-Identifier: BSL-1.0
// expect: the array must have as many elements as the shape
// expect-early: array_counts<.*shape<2, 3>, float ?\[5\]>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
float raw[5];
espalier::view<float, shape<2, 3>> x(raw);
#else
float raw[6];
espalier::view<float, shape<2, 3>> x(raw);
#endif
