// SPDX-License-Identifier: BSL-1.0
// expect: conv_transpose2d<transposed_convolution>\(x, w\): stride, dilation and groups must be at least 1, padding at least 0, extra at least 0 and below the stride
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 4, 4, 8>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) {
  return esp::conv_transpose2d<esp::transposed_convolution{.stride = 2, .extra = 2}>(x, w);
}
#else
auto f(tensor<float, shape<2, 4, 4, 8>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) {
  return esp::conv_transpose2d<esp::transposed_convolution{.stride = 2, .extra = 1}>(x, w);
}
#endif
