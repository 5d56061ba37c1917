// SPDX-License-Identifier: BSL-1.0
// expect: skip_non_finite or scale_loss must be the outer wrapper
// expect: skip_wraps_decay<
// expect-early: skip_non_finite
#include <espalier/optim/optim.hpp>
#include <espalier/tracing/trace.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::decoupled<optim::skip_non_finite<optim::Adam>> optimizer{};
#else
optim::skip_non_finite<optim::decoupled<optim::Adam>> optimizer{};
#endif
