// SPDX-License-Identifier: BSL-1.0
// expect: conv2d\(x, w\): the dilated kernel must fit into the padded image
// expect-early: kernel_fits<(espalier::)?kernel<3>, (espalier::)?height<6>, (espalier::)?padding<0, 0>, (espalier::)?dilation<3> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 3, 6, 6>> const& x, tensor<float, shape<8, 3, 3, 3>> const& w) {
  return esp::conv2d<esp::convolution{.dilation = 3, .layout = esp::nchw}>(x, w);
}
#else
auto f(tensor<float, shape<2, 3, 7, 7>> const& x, tensor<float, shape<8, 3, 3, 3>> const& w) {
  return esp::conv2d<esp::convolution{.dilation = 3, .layout = esp::nchw}>(x, w);
}
#endif
