// SPDX-License-Identifier: BSL-1.0
// expect: an op takes tensors, views and formulas, and an argument is something else
// lines: 10
#include <espalier.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 2>> const& x) { return evaluate(matmul(x, x.data())); }
#else
auto f(tensor<float, shape<2, 2>> const& x) { return evaluate(matmul(x, x)); }
#endif
