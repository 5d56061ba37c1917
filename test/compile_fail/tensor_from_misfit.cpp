// SPDX-License-Identifier: BSL-1.0
// expect: shapes must be equal, or all operands must broadcast to the shape of one of them
// expect: same_or_broadcast<(espalier::)?shape<2, 3>, (espalier::)?shape<3, 3> ?>
// expect-early: shape<2, 3>
// expect-early: shape<3, 3>
// expect-early: at_axis<-2>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<2, 3>> f(tensor<float, shape<2, 3>> const& a, tensor<float, shape<3, 3>> const& b) { return a + b; }
#else
tensor<float, shape<2, 3>> f(tensor<float, shape<2, 3>> const& a, tensor<float, shape<1, 3>> const& b) { return a + b; }
#endif
