// SPDX-License-Identifier: BSL-1.0
// expect: shape<...>: every extent must be at least 1
// expect-early: shape<2, 0>
#include <espalier/shape/shape.hpp>

#ifdef SHOULD_FAIL
espalier::shape<2, 0> x;
#else
espalier::shape<2, 1> x;
#endif
