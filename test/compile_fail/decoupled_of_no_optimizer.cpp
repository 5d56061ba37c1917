// SPDX-License-Identifier: BSL-1.0
// expect: optim::decoupled\{optimizer, weight_decay\}: the first member must be an optimizer
// expect-early: double
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::decoupled decayed{1.0, 0.5};
#else
optim::decoupled decayed{optim::Adam{}, 0.5};
#endif
