// SPDX-License-Identifier: BSL-1.0
// expect: one index per axis
// expect-early: indices<.*shape<2, 3>, 1>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
float f(tensor<float, shape<2, 3>> const& x) { return x(1); }
#else
float f(tensor<float, shape<2, 3>> const& x) { return x(1, 2); }
#endif
