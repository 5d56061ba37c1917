// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../nn/module.hpp"

namespace espalier::nn {

/// shape   that of the module
template <class M>
struct Frozen {
  M module{};
  using is_frozen = void;
  ESPALIER_MODULE(Frozen, module)
  constexpr auto forward(auto x) const { return module(x); }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
