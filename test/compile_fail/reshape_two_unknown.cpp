// SPDX-License-Identifier: BSL-1.0
// expect: with at most one -1
// expect: same_element_count<(espalier::)?shape<8, 13>, (espalier::)?to<-1, -1> ?>
// expect-early: shape<8, 13>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<8, 13>> const& x) { return reshape<-1, -1>(x); }
#else
auto f(tensor<float, shape<8, 13>> const& x) { return reshape<-1>(x); }
#endif
