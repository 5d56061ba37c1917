// SPDX-License-Identifier: BSL-1.0
// expect: optim::penalized\{optimizer, l1, l2\}: the first member must be an optimizer
// expect: wrapped<float>
// expect-early: float
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::penalized<float> optimizer{};
#else
optim::penalized<optim::Adam> optimizer{};
#endif
