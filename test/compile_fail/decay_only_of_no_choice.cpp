// SPDX-License-Identifier: BSL-1.0
// expect: Which has no static constexpr bool selects
// expect: chooses_parameters<everything>
// expect-early: everything
#include <espalier/optim/optim.hpp>

namespace optim = espalier::optim;

struct everything {
#ifndef SHOULD_FAIL
  static constexpr bool selects(optim::parameter_facts const&) { return true; }
#endif
};
auto optimizer = optim::decay_only<everything>(optim::AdamW{});
