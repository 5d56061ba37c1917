// SPDX-License-Identifier: BSL-1.0
// expect: the axis does not exist
// expect-early: axes_exist<.*shape<2, 3>, .*axes<2>
#include <espalier/storage/argmax.hpp>

using espalier::shape;
using espalier::tensor;

#if defined(SHOULD_FAIL)
auto f(tensor<float, shape<2, 3>> const& x) { return argmax<2>(x); }
#else
auto f(tensor<float, shape<2, 3>> const& x) { return argmax<1>(x); }
#endif
