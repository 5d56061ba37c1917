// SPDX-License-Identifier: BSL-1.0
// expect: transpose<i, j>\(x\): x does not have these axes
// expect: transposable_axes<(espalier::)?shape<3>, -1, -2>
// expect-early: shape<3>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<3>> const& x) { return transpose(x); }
#else
auto f(tensor<float, shape<3, 1>> const& x) { return transpose(x); }
#endif
