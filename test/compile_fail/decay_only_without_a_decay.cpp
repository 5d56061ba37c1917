// SPDX-License-Identifier: BSL-1.0
// expect: the optimizer has no decay, or another decay_only already restricts it
// expect: has_decay<
// expect-early: decay_only
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
auto optimizer = optim::decay_only<optim::weights>(optim::decay_only<optim::weights>(optim::AdamW{}));
#else
auto optimizer = optim::decay_only<optim::weights>(optim::AdamW{});
#endif
