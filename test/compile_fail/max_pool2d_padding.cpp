// SPDX-License-Identifier: BSL-1.0
// expect: max_pool2d<window>\(x\): each window must contain a pixel; padding has none
// expect-early: windows_in_image<(espalier::)?kernel<2>, (espalier::)?height<9>, (espalier::)?padding<2, 0>, (espalier::)?stride<1>, (espalier::)?dilation<1> ?>
// expect-26: padding has none; kernel 2, height 9, padding \(2, 0\), stride 1, dilation 1
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 9, 7, 3>> const& x) {
  return esp::max_pool2d<2, esp::pooling{.stride = 1, .padding = {2, 0, 0, 0}}>(x);
}
#else
auto f(tensor<float, shape<2, 9, 7, 3>> const& x) {
  return esp::max_pool2d<2, esp::pooling{.stride = 1, .padding = {1, 0, 0, 0}}>(x);
}
#endif
