// SPDX-License-Identifier: BSL-1.0
// expect: conv2d\(x, w\): the channels of x must be groups times the input channels of w, and groups must divide the output channels of w
// expect-early: kernel_channels<(espalier::)?channels<6>, (espalier::)?kernel_inputs<2>, (espalier::)?groups<3>, (espalier::)?kernel_outputs<8> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 8, 6>> const& x, tensor<float, shape<3, 3, 2, 8>> const& w) {
  return esp::conv2d<esp::convolution{.groups = 3}>(x, w);
}
#else
auto f(tensor<float, shape<2, 8, 8, 6>> const& x, tensor<float, shape<3, 3, 2, 9>> const& w) {
  return esp::conv2d<esp::convolution{.groups = 3}>(x, w);
}
#endif
