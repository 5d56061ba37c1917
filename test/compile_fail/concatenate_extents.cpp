// SPDX-License-Identifier: BSL-1.0
// expect: concatenate<axis>\(a, b, ...\): the extents must be equal but along the axis, which all operands have
// expect: concatenable<(espalier::)?shape<4, 5>, (espalier::)?shape<4, 3>, (espalier::)?along<0> ?>
// expect-early: shape<4, 3>
// expect-26: which all operands have; concatenable: \(4, 5\), \(4, 3\), axis 0
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& a, tensor<float, shape<4, 3>> const& b) { return concatenate<0>(a, a, b); }
#else
auto f(tensor<float, shape<4, 5>> const& a, tensor<float, shape<4, 3>> const& b) { return concatenate<1>(a, a, b); }
#endif
