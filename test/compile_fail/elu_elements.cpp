// SPDX-License-Identifier: BSL-1.0
// expect: elu\(x, alpha\): operands mix float and double
// expect-early: same_element<float, double>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<3>> const& x, tensor<double, shape<3>> const& alpha) { return elu(x, alpha); }
#else
auto f(tensor<float, shape<3>> const& x, tensor<float, shape<3>> const& alpha) { return elu(x, alpha); }
#endif
