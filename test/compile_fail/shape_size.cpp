// SPDX-License-Identifier: BSL-1.0
// expect: at most 2\^31 - 1 elements
// expect-early: shape<65536, 65536>
// expect-26: at most 2\^31 - 1 elements; elements 4294967296
#include <espalier/shape/shape.hpp>

#ifdef SHOULD_FAIL
espalier::shape<65536, 65536> x;
#else
espalier::shape<65536, 32767> x;
#endif
