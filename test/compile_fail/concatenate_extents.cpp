// SPDX-License-Identifier: BSL-1.0
// expect: concatenate<axis>\(a, b, ...\): all operands must have the axis, and their other extents must be equal
// expect: concatenable<(espalier::)?shape<4, 5>, (espalier::)?shape<4, 3>, (espalier::)?along<0> ?>
// expect-early: shape<4, 3>
// expect-26: and their other extents must be equal; concatenable: \(4, 5\), \(4, 3\), axis 0
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& a, tensor<float, shape<4, 3>> const& b) { return concatenate<0>(a, a, b); }
#else
auto f(tensor<float, shape<4, 5>> const& a, tensor<float, shape<4, 3>> const& b) { return concatenate<1>(a, a, b); }
#endif
