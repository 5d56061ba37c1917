// SPDX-License-Identifier: BSL-1.0
// expect: max_pool2d<window>\(x\): images have four axes
// expect: images<(espalier::)?shape<9, 7, 3> ?>
// expect-early: shape<9, 7, 3>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<9, 7, 3>> const& x) { return max_pool2d<2>(x); }
#else
auto f(tensor<float, shape<1, 9, 7, 3>> const& x) { return max_pool2d<2>(x); }
#endif
