// SPDX-License-Identifier: BSL-1.0
// expect: optim::sharded\{optimizer\}: the first member must be an optimizer
// expect-early: wrapped<double>
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::sharded states{1.0};
#else
optim::sharded states{optim::Adam{}};
#endif
