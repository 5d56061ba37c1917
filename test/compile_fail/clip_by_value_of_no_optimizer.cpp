// SPDX-License-Identifier: BSL-1.0
// expect: the first member must be an optimizer
// expect-early: double
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::clip_by_value clipped{1.0, 0.5};
#else
optim::clip_by_value clipped{optim::Adam{}, 0.5};
#endif
