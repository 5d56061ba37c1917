// SPDX-License-Identifier: BSL-1.0
// expect: leaky_relu\(x, negative_slope\): operands mix float and double
// expect-early: same_element<float, double ?>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<3>> const& a, tensor<double, shape<3>> const& b) { return leaky_relu(a, b); }
#else
auto f(tensor<float, shape<3>> const& a, tensor<float, shape<3>> const& b) { return leaky_relu(a, b); }
#endif
