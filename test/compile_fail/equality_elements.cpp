// SPDX-License-Identifier: BSL-1.0
// expect: both must have the same element type
// expect-early: double
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
bool f(tensor<float, shape<3>> const& a, tensor<double, shape<3>> const& b) { return a == b; }
#else
bool f(tensor<float, shape<3>> const& a, tensor<float, shape<3>> const& b) { return a == b; }
#endif
