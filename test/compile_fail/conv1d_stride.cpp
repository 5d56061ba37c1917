// SPDX-License-Identifier: BSL-1.0
// expect: conv1d<convolution>\(x, w\): stride, dilation and groups must be at least 1, padding
// expect-early: shape<2, 8, 3>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 3>> const& x, tensor<float, shape<3, 3, 8>> const& w) {
  return conv1d<espalier::convolution{.stride = 0}>(x, w);
}
#else
auto f(tensor<float, shape<2, 8, 3>> const& x, tensor<float, shape<3, 3, 8>> const& w) {
  return conv1d<espalier::convolution{.stride = 2}>(x, w);
}
#endif
