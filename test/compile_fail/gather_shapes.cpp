// SPDX-License-Identifier: BSL-1.0
// expect: gather<axis>\(x, index\): index must have as many axes as x, and no larger extent except along the axis
// expect: gatherable<(espalier::)?shape<4, 8>, (espalier::)?shape<5, 3>, (espalier::)?along<1> ?>
// expect-early: shape<4, 8>
// expect-early: shape<5, 3>
#include <espalier/operation/operation.hpp>
#include <espalier/storage/tensor.hpp>

using espalier::shape;
using espalier::tensor;

#ifdef SHOULD_FAIL
auto f(tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<5, 3>> const& i) { return gather<1>(x, i); }
#else
auto f(tensor<float, shape<4, 8>> const& x, tensor<std::int32_t, shape<4, 3>> const& i) { return gather<1>(x, i); }
#endif
