// SPDX-License-Identifier: BSL-1.0
// expect: float and double
// expect-early: same_element<float, double>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<3>> const& c, tensor<float, shape<3>> const& a, tensor<double, shape<3>> const& b) {
  return where(c, a, b);
}
#else
auto f(tensor<float, shape<3>> const& c, tensor<float, shape<3>> const& a, tensor<float, shape<3>> const& b) {
  return where(c, a, b);
}
#endif
