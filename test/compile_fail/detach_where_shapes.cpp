// SPDX-License-Identifier: BSL-1.0
// expect: detach_where\(x, condition\): the condition must broadcast to the shape of x
// expect: broadcastable<(espalier::)?shape<4>, (espalier::)?shape<4, 8> ?>
// expect-early: shape<4, 8>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 8>> const& x, tensor<bool, shape<4>> const& c) { return detach_where(x, c); }
#else
auto f(tensor<float, shape<4, 8>> const& x, tensor<bool, shape<4, 1>> const& c) { return detach_where(x, c); }
#endif
