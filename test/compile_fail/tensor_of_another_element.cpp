// SPDX-License-Identifier: BSL-1.0
// expect: tensor = tensor: the element types differ; tensor<T, S>\(x\) converts
// expect-early: element_is<float, double>
#include <espalier/storage/tensor.hpp>

using espalier::shape, espalier::tensor;

#ifdef SHOULD_FAIL
tensor<double, shape<2, 3>> f(tensor<float, shape<2, 3>> const& x) {
  tensor<double, shape<2, 3>> y = x;
  return y;
}
#else
tensor<double, shape<2, 3>> f(tensor<float, shape<2, 3>> const& x) {
  tensor<double, shape<2, 3>> y(x);
  return y;
}
#endif
