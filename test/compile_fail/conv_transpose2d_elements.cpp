// SPDX-License-Identifier: BSL-1.0
// expect: conv_transpose2d\(x, w\): operands mix float and double
// expect-early: same_element<float, double ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 8, 8, 8>> const& x, tensor<double, shape<2, 2, 3, 8>> const& w) {
  return conv_transpose2d(x, w);
}
#else
auto f(tensor<float, shape<2, 8, 8, 8>> const& x, tensor<float, shape<2, 2, 3, 8>> const& w) {
  return conv_transpose2d(x, w);
}
#endif
