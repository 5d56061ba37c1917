// SPDX-License-Identifier: BSL-1.0
// expect: both must have the same shape
// expect-early: equal_shapes<.*shape<2, 3>, .*shape<3, 2>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
bool f(tensor<float, shape<2, 3>> const& a, tensor<float, shape<3, 2>> const& b) { return a == b; }
#else
bool f(tensor<float, shape<2, 3>> const& a, tensor<float, shape<2, 3>> const& b) { return a == b; }
#endif
