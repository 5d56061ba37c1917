// SPDX-License-Identifier: BSL-1.0
// expect: conv_transpose2d\(x, w\): the padding removes the whole result
// expect-early: result_extents<(espalier::)?height<-1>, (espalier::)?width<1> ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 1, 1, 8>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) {
  return esp::conv_transpose2d<esp::transposed_convolution{.padding = {2, 1}}>(x, w);
}
#else
auto f(tensor<float, shape<2, 1, 1, 8>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) {
  return esp::conv_transpose2d<esp::transposed_convolution{.padding = 1}>(x, w);
}
#endif
