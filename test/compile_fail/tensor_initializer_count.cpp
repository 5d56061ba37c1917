// SPDX-License-Identifier: BSL-1.0
// expect: the initialiser must have the nesting and the counts of the shape
// expect-early: initializer_counts<.*shape<3>, .*shape<2>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
tensor<float, shape<3>> x{1, 2};
#else
tensor<float, shape<3>> x{1, 2, 3};
#endif
