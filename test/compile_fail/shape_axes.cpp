// SPDX-License-Identifier: BSL-1.0
// expect: shape<...>: a tensor has at most 6 axes
// expect-early: shape<1, 2, 3, 4, 5, 6, 7>
#include <espalier/shape/shape.hpp>

#ifdef SHOULD_FAIL
espalier::shape<1, 2, 3, 4, 5, 6, 7> x;
#else
espalier::shape<1, 2, 3, 4, 5, 6> x;
#endif
