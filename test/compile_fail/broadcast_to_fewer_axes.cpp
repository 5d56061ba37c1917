// SPDX-License-Identifier: BSL-1.0
// expect: every extent of x must be 1 or that of S, aligned at the last axis
// expect: broadcastable<(espalier::)?shape<2, 3>, (espalier::)?shape<3> ?>
// expect-early: shape<2, 3>
// expect-early: shape<3>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 3>> const& x) { return broadcast_to<shape<3>>(x); }
#else
auto f(tensor<float, shape<3>> const& x) { return broadcast_to<shape<2, 3>>(x); }
#endif
