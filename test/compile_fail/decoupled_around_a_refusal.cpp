// SPDX-License-Identifier: BSL-1.0
// expect: refuse_non_finite goes around it
// expect: decays_inside_a_refusal<
// expect-early: refuse_non_finite
#include <espalier/optim/optim.hpp>
#include <espalier/trace/trace.hpp>

namespace optim = espalier::optim;

#ifdef SHOULD_FAIL
optim::decoupled<optim::refuse_non_finite<optim::Adam>> optimizer{};
#else
optim::refuse_non_finite<optim::decoupled<optim::Adam>> optimizer{};
#endif
