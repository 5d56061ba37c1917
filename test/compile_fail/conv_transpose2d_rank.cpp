// SPDX-License-Identifier: BSL-1.0
// expect: conv_transpose2d\(x, w\): images x and kernels w have four axes
// expect: images_and_kernels<(espalier::)?shape<8, 8, 8>, (espalier::)?shape<2, 2, 3, 8> ?>
// expect-early: shape<8, 8, 8>
// expect-early: shape<2, 2, 3, 8>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 8, 8>> const& x, tensor<float, shape<2, 2, 3, 8>> const& w) {
  return conv_transpose2d(x, w);
}
#else
auto f(tensor<float, shape<1, 8, 8, 8>> const& x, tensor<float, shape<2, 2, 3, 8>> const& w) {
  return conv_transpose2d(x, w);
}
#endif
