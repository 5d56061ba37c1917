// SPDX-License-Identifier: BSL-1.0
// expect: shape<...>::extent<Axis>\(\): the axis does not exist
// expect-early: shape<2, 3>|\{2, 3\}
#include <espalier/shape/shape.hpp>

using espalier::shape;

#ifdef SHOULD_FAIL
int f() { return shape<2, 3>::extent<2>(); }
#else
int f() { return shape<2, 3>::extent<1>(); }
#endif
