// SPDX-License-Identifier: BSL-1.0
// expect: the expression has another shape than the tensor
// expect: same_shape_as_tensor<(espalier::)?shape<2>, (espalier::)?shape<3> ?>
// expect-early: shape<2>
// expect-early: shape<3>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
void f(tensor<float, shape<3>>& c, tensor<float, shape<2, 3>> const& a) { c = sum<1>(a); }
#else
void f(tensor<float, shape<3>>& c, tensor<float, shape<2, 3>> const& a) { c = sum<0>(a); }
#endif
