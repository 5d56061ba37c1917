// SPDX-License-Identifier: BSL-1.0
// expect: permute<axes...>\(x\): every axis of x must be named once
// expect: permutes_axes<(espalier::)?shape<4, 5>, (espalier::)?axes<1, 1> ?>
// expect-early: shape<4, 5>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 5>> const& x) { return permute<1, 1>(x); }
#else
auto f(tensor<float, shape<4, 5>> const& x) { return permute<1, 0>(x); }
#endif
