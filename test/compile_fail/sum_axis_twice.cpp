// SPDX-License-Identifier: BSL-1.0
// expect: an axis does not exist in the shape, or is named twice
// expect: axes_exist<(espalier::)?shape<8, 13>, (espalier::)?axes<1, -1> ?>
// expect-early: shape<8, 13>
// expect-26: an axis does not exist in the shape, or is named twice; x is \(8, 13\), axes \(1, -1\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& x) { return sum<1, -1>(x); }
#else
auto f(tensor<float, shape<8, 13>> const& x) { return sum<1, -2>(x); }
#endif
