// SPDX-License-Identifier: BSL-1.0
// expect: concatenate<axis>\(a, b, ...\): operands mix float and double
// expect: same_element<float, double>
// expect-early: same_element
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& a, tensor<double, shape<4, 5>> const& b) { return concatenate<0>(a, a, b); }
#else
auto f(tensor<float, shape<4, 5>> const& a, tensor<double, shape<4, 5>> const& b) {
  return concatenate<0>(a, a, tensor<float, shape<4, 5>>(b));
}
#endif
