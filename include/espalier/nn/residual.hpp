// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/add.hpp"
#include "module.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// y = fn(x) + x.
/// shape   S -> S
/// errors  a branch whose result has another shape than its input is refused, and both are named
/// saves   what fn saves
/// slope   dx = dy + the slope of fn
/// source  He, Zhang, Ren and Sun 2016; needle's Residual
template <class Fn>
struct Residual {
  Fn fn{};
  ESPALIER_MODULE(Residual, fn)

  constexpr auto forward(auto x) const {
    auto const branch = fn(x);
    using Branch = std::remove_cvref_t<decltype(branch)>;
    if constexpr (is_refused<Branch>) return branch;
    else if constexpr (!same_shape<shape_of<Branch>, shape_of<decltype(x)>>::agree)
      return refused<same_shape<shape_of<Branch>, shape_of<decltype(x)>>>{};
    else return branch + x;
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
