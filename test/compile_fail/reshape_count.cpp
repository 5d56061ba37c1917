// SPDX-License-Identifier: BSL-1.0
// expect: the extents must multiply to the number of elements of x, with at most one -1
// expect: same_element_count<(espalier::)?shape<8, 13>, (espalier::)?to<13, 9> ?>
// expect-early: shape<8, 13>
// expect-26: with at most one -1; x is \(8, 13\), to \(13, 9\)
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& x) { return reshape<13, 9>(x); }
#else
auto f(tensor<float, shape<8, 13>> const& x) { return reshape<13, 8>(x); }
#endif
