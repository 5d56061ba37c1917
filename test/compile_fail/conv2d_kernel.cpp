// SPDX-License-Identifier: BSL-1.0
// expect: conv2d\(x, w\): the dilated kernel must fit into the padded image
// expect-early: kernel_fits<(espalier::)?kernel<7>, (espalier::)?width<3>, (espalier::)?padding<1, 1>, (espalier::)?dilation<1> ?>
// expect-26: into the padded image; kernel 7, width 3, padding \(1, 1\), dilation 1
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 3, 3>> const& x, tensor<float, shape<7, 7, 3, 8>> const& w) {
  return esp::conv2d<esp::convolution{.padding = 1}>(x, w);
}
#else
auto f(tensor<float, shape<2, 8, 5, 3>> const& x, tensor<float, shape<7, 7, 3, 8>> const& w) {
  return esp::conv2d<esp::convolution{.padding = 1}>(x, w);
}
#endif
