// SPDX-License-Identifier: BSL-1.0
// expect: tensor = tensor: they have different shapes; reshape<...>\(x\), transpose\(x\) and slice<...>\(x\) return other shapes
// expect-early: shape<2, 3>
// expect-early: shape<3, 2>
#include <espalier/storage/tensor.hpp>

using espalier::shape, espalier::tensor;
using Actual = tensor<float, shape<2, 3>>;

#ifdef SHOULD_FAIL
void f(tensor<float, shape<3, 2>>& y, Actual const& x) { y = x; }
#else
void f(tensor<float, shape<2, 3>>& y, Actual const& x) { y = x; }
#endif
