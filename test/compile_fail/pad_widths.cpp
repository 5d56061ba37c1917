// SPDX-License-Identifier: BSL-1.0
// expect: pad<before, after, ...>\(x\): there must be two widths for each axis, none negative
// expect: movable<(espalier::)?shape<4, 5>, (espalier::)?padded_by<false, 1, 1> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return pad<1, 1>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return pad<1, 1, 0, 0>(x); }
#endif
