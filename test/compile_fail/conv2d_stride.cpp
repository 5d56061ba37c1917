// SPDX-License-Identifier: BSL-1.0
// expect: conv2d<convolution>\(x, w\): stride, dilation and groups must be at least 1, padding at least 0
// expect-26: padding at least 0; stride \(0, 0\), padding \(0, 0, 0, 0\), dilation \(1, 1\), groups 1
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

namespace esp = espalier;
using esp::shape;
using esp::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 8, 3>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) {
  return esp::conv2d<esp::convolution{.stride = 0}>(x, w);
}
#else
auto f(tensor<float, shape<2, 8, 8, 3>> const& x, tensor<float, shape<3, 3, 3, 8>> const& w) {
  return esp::conv2d<esp::convolution{.stride = 2}>(x, w);
}
#endif
