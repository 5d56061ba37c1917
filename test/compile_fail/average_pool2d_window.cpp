// SPDX-License-Identifier: BSL-1.0
// expect: average_pool2d<window>\(x\): the dilated window must fit into the padded image
// expect-early: kernel_fits<(espalier::)?kernel<4>, (espalier::)?height<3>, (espalier::)?padding<0, 0>, (espalier::)?dilation<1> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 3, 9>> const& x) {
  return esp::average_pool2d<4, esp::pooling{.layout = esp::nchw}>(x);
}
#else
auto f(tensor<float, shape<2, 8, 4, 9>> const& x) {
  return esp::average_pool2d<4, esp::pooling{.layout = esp::nchw}>(x);
}
#endif
