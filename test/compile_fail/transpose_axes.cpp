// SPDX-License-Identifier: BSL-1.0
// expect: transpose<i, j>\(x\): x does not have these axes
// expect: transposable_axes<(espalier::)?shape<2, 3>, 0, 2>
// expect-early: shape<2, 3>
// expect-26: x does not have these axes; \(2, 3\) with axes 0 and 2
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 3>> const& x) { return transpose<0, 2>(x); }
#else
auto f(tensor<float, shape<2, 3>> const& x) { return transpose<0, 1>(x); }
#endif
