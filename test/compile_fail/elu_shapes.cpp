// SPDX-License-Identifier: BSL-1.0
// expect: elu\(x, alpha\): shapes must be equal, or all operands must broadcast to the shape of one of them
// expect: same_or_broadcast<(espalier::)?shape<2, 3>, (espalier::)?shape<4, 3>
// expect-early: shape<2, 3>
// expect-early: shape<4, 3>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<2, 3>> const& x, tensor<float, shape<4, 3>> const& alpha) { return elu(x, alpha); }
#else
auto f(tensor<float, shape<2, 3>> const& x, tensor<float, shape<2, 3>> const& alpha) { return elu(x, alpha); }
#endif
