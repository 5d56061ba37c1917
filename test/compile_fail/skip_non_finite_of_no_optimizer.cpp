// SPDX-License-Identifier: BSL-1.0
// expect: optim::skip_non_finite\{optimizer\}: the first member must be an optimizer
// expect-early: double
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::skip_non_finite guarded{1.0};
#else
optim::skip_non_finite guarded{optim::Adam{}};
#endif
