// SPDX-License-Identifier: BSL-1.0
// expect: the expression has another element type
// expect: same_element_as_tensor<float, double>
// expect-early: double
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
tensor<double, shape<2, 3>> f(tensor<float, shape<2, 3>> const& a) { return a * 2; }
#else
tensor<double, shape<2, 3>> f(tensor<float, shape<2, 3>> const& a) {
  return tensor<double, shape<2, 3>>(tensor<float, shape<2, 3>>(a * 2));
}
#endif
