// SPDX-License-Identifier: BSL-1.0
// expect: optim::lazy\{optimizer\}: expected an optimizer that is no wrapper, such as Adam
// expect-early: clip_by_norm
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::lazy rows{optim::clip_by_norm{optim::Adam{}, 0.5}};
#else
optim::lazy rows{optim::Adam{}};
#endif
