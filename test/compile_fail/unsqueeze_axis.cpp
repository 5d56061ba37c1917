// SPDX-License-Identifier: BSL-1.0
// expect: unsqueeze<axes...>\(x\): an axis is not an axis position of the result, or is named twice
// expect: new_axes<(espalier::)?shape<4, 5>, (espalier::)?axes<3> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return unsqueeze<3>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return unsqueeze<2>(x); }
#endif
