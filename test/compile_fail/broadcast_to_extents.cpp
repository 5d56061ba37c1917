// SPDX-License-Identifier: BSL-1.0
// expect: every extent of x must be 1 or that of the result, aligned at the last axis
// expect: broadcastable<(espalier::)?shape<2, 3>, (espalier::)?shape<4, 6> ?>
// expect-early: shape<2, 3>
// expect-early: shape<4, 6>
// expect-early: at_axis<-2>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 3>> const& x) { return broadcast_to<4, 6>(x); }
#else
auto f(tensor<float, shape<1, 3>> const& x) { return broadcast_to<4, 3>(x); }
#endif
