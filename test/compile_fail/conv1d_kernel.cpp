// SPDX-License-Identifier: BSL-1.0
// expect: conv1d\(x, w\): the dilated kernel must fit into the padded image
// expect-early: kernel_fits<(espalier::)?kernel<9>, (espalier::)?width<6>, (espalier::)?padding<1, 1>, (espalier::)?dilation<1> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 6, 3>> const& x, tensor<float, shape<9, 3, 8>> const& w) {
  return esp::conv1d<esp::convolution{.padding = 1}>(x, w);
}
#else
auto f(tensor<float, shape<2, 6, 3>> const& x, tensor<float, shape<8, 3, 8>> const& w) {
  return esp::conv1d<esp::convolution{.padding = 1}>(x, w);
}
#endif
