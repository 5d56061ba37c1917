// SPDX-License-Identifier: BSL-1.0
// expect: matmul\(a, b\): the batch axes \(all but the last two\) must be equal or 1
// expect: batch_dimensions<(espalier::)?shape<4, 8, 13>, (espalier::)?shape<3, 13, 16> ?>
// expect-early: shape<4, 8, 13>
// expect-early: shape<3, 13, 16>
// expect-early: at_axis<-3>
// expect-26: must be equal or 1; a is \(4, 8, 13\), b is \(3, 13, 16\), at axis -3
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 8, 13>> const& a, tensor<float, shape<3, 13, 16>> const& b) { return matmul(a, b); }
#else
auto f(tensor<float, shape<4, 8, 13>> const& a, tensor<float, shape<1, 13, 16>> const& b) { return matmul(a, b); }
#endif
