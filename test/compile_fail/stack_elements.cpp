// SPDX-License-Identifier: BSL-1.0
// expect: stack<axis>\(a, b, ...\): operands mix float and double
// expect: same_element<float, double ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<3>> const& a, tensor<double, shape<3>> const& b) { return stack<0>(a, b); }
#else
auto f(tensor<float, shape<3>> const& a, tensor<float, shape<3>> const& b) { return stack<0>(a, b); }
#endif
