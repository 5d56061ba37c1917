// SPDX-License-Identifier: BSL-1.0
// expect: the expression has another shape than the tensor
// expect: same_shape_as_tensor<(espalier::)?shape<2, 3>, (espalier::)?shape<3, 2> ?>
// expect-early: shape<2, 3>
// expect-early: shape<3, 2>
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<3, 2>> f(tensor<float, shape<2, 3>> const& a) { return a * 2; }
#else
tensor<float, shape<2, 3>> f(tensor<float, shape<2, 3>> const& a) { return a * 2; }
#endif
