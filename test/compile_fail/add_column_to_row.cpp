// SPDX-License-Identifier: BSL-1.0
// expect: shapes must be equal, or all operands must broadcast to the shape of one of them
// expect: same_or_broadcast<(espalier::)?shape<64, 1>, (espalier::)?shape<64> ?>
// expect-early: shape<64, 1>
// expect-early: shape<64>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<64, 1>> const& a, tensor<float, shape<64>> const& b) { return a + b; }
#else
auto f(tensor<float, shape<64, 1>> const& a, tensor<float, shape<64>> const& b) {
  return broadcast_to<shape<64, 64>>(a) + b;
}
#endif
