// SPDX-License-Identifier: BSL-1.0
// expect: conv_transpose2d\(x, w\): the channels of x must equal the output channels of w, and groups must divide them
// expect-early: transposed_channels<(espalier::)?channels<3>, (espalier::)?kernel_outputs<8>, (espalier::)?groups<1> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 8, 3>> const& x, tensor<float, shape<2, 2, 3, 8>> const& w) {
  return conv_transpose2d(x, w);
}
#else
auto f(tensor<float, shape<2, 8, 8, 8>> const& x, tensor<float, shape<2, 2, 3, 8>> const& w) {
  return conv_transpose2d(x, w);
}
#endif
