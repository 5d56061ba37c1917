// SPDX-License-Identifier: BSL-1.0
// expect: shapes must be equal, or all operands must broadcast to the shape of one of them
// expect: same_or_broadcast<(espalier::)?shape<2, 3>, (espalier::)?shape<2, 3>, (espalier::)?shape<2, 2> ?>
// expect-early: shape<2, 3>
// expect-early: shape<2, 2>
// expect-early: at_axis<-1>
// expect-26: broadcasts explicitly; condition is \(2, 3\), a is \(2, 3\), b is \(2, 2\), at axis -1
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 3>> const& c, tensor<float, shape<2, 3>> const& a, tensor<float, shape<2, 2>> const& b) {
  return where(c > 0, a, b);
}
#else
auto f(tensor<float, shape<2, 3>> const& c, tensor<float, shape<2, 3>> const& a, tensor<float, shape<2, 3>> const& b) {
  return where(c > 0, a, b);
}
#endif
