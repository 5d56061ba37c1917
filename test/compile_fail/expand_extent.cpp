// SPDX-License-Identifier: BSL-1.0
// expect: expand<extents...>\(x\): every extent of x must be 1 or equal to the requested one
// expect: expandable<(espalier::)?shape<4, 1>, (espalier::)?to<3, 5> ?>
// expect-early: shape<4, 1>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 1>> const& x) { return expand<3, 5>(x); }
#else
auto f(tensor<float, shape<4, 1>> const& x) { return expand<-1, 5>(x); }
#endif
