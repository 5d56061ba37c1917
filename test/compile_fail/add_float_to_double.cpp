// SPDX-License-Identifier: BSL-1.0
// expect: float and double
// expect-early: same_element<float, double>
// expect-26: convert one with tensor<double, S>\(x\); a is float, b is double
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<3>> const& a, tensor<double, shape<3>> const& b) { return a + b; }
#else
auto f(tensor<float, shape<3>> const& a, tensor<double, shape<3>> const& b) { return tensor<double, shape<3>>(a) + b; }
#endif
