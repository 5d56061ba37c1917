// SPDX-License-Identifier: BSL-1.0
// expect: up_to<N>: N must be 2 to 1000000; for batches of one sample, write 1
// expect: up_to<1>
// lines: 12
#include <espalier/shape/up_to.hpp>

namespace esp = espalier;

#ifdef SHOULD_FAIL
inline constexpr int most = esp::up_to<1>;
#else
inline constexpr int most = esp::up_to<2>;
#endif
