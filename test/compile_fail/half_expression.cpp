// SPDX-License-Identifier: BSL-1.0
// expect: tensor = expression: the expression has another element type; convert with tensor<T, S>\(x\)
// expect: only_stored_on_host
// expect-early: half
#include <espalier/eager/evaluate.hpp>
#include <espalier/operation/operation.hpp>

using espalier::half;
using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
tensor<float, shape<3>> f(tensor<half, shape<3>> const& x) { return exp(x); }
#else
tensor<float, shape<3>> f(tensor<half, shape<3>> const& x) { return exp(tensor<float, shape<3>>(x)); }
#endif
