// SPDX-License-Identifier: BSL-1.0
// expect: take_along_axis<axis>\(x, index\): index must have as many axes as x, and equal extents or 1 except along the axis
// expect: takeable<(espalier::)?shape<4, 8>, (espalier::)?shape<8>, (espalier::)?along<1> ?>
// expect-early: shape<4, 8>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<8>> const& i) {
  return take_along_axis<1>(x, i);
}
#else
auto f(tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<1, 8>> const& i) {
  return take_along_axis<1>(x, i);
}
#endif
