// SPDX-License-Identifier: BSL-1.0
// expect: conv1d\(x, w\): the channels of x must be groups times the input channels of w, and groups must divide the output channels of w
// expect-early: kernel_channels<(espalier::)?channels<6>, (espalier::)?kernel_inputs<3>, (espalier::)?groups<1>, (espalier::)?kernel_outputs<8> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 6, 3>> const& x, tensor<float, shape<8, 3, 3>> const& w) {
  return esp::conv1d<esp::convolution{.layout = esp::nchw}>(x, w);
}
#else
auto f(tensor<float, shape<2, 6, 3>> const& x, tensor<float, shape<8, 6, 3>> const& w) {
  return esp::conv1d<esp::convolution{.layout = esp::nchw}>(x, w);
}
#endif
