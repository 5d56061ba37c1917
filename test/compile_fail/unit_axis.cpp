// SPDX-License-Identifier: BSL-1.0
// expect: an axis does not exist in the shape, or is named twice
// expect: axes_exist<(espalier::)?shape<8, 13>, (espalier::)?axes<2> ?>
// expect-early: shape<8, 13>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& x) { return unit<2>(x); }
#else
auto f(tensor<float, shape<8, 13>> const& x) { return unit<1>(x); }
#endif
