// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../nn/module.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
#pragma GCC diagnostic pop
