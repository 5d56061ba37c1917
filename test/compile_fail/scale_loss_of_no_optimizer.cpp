// SPDX-License-Identifier: BSL-1.0
// expect: optim::scale_loss\{optimizer\}: the first member must be an optimizer
// expect-early: wrapped<double>
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::scale_loss scaled{1.0};
#else
optim::scale_loss scaled{optim::Adam{}};
#endif
