// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/add.hpp"
#include "module.hpp"

namespace espalier::nn {

/// The error of a Residual labels its two shapes with these: branch<4, 12>, input<4, 16>.
template <int... Extents>
struct branch {};
template <int... Extents>
struct input {};
/// Named relation: the branch of a Residual returns the shape of its input, so that they can be added.
template <class Branch, class Input>
struct branch_keeps_shape {
  ESPALIER_READS("Residual adds its {} to its {}")
  static constexpr bool agree = false;
};
template <int... Extents>
struct branch_keeps_shape<branch<Extents...>, input<Extents...>> {
  static constexpr bool agree = true;
};
namespace detail {
template <class Branch, class Input>
struct branch_relation;
template <int... B, int... I>
struct branch_relation<shape<B...>, shape<I...>> {
  using type = branch_keeps_shape<branch<B...>, input<I...>>;
};
}  // namespace detail

/// y = fn(x) + x.
/// shape   S -> S
/// errors  a branch whose result has another shape than its input does not compile; the error names both shapes
/// saves   what fn saves
/// gradient  dx = dy + the gradient through fn
/// source  He, Zhang, Ren and Sun 2016; needle's Residual
template <class Fn>
struct Residual {
  Fn fn{};
  ESPALIER_MODULE(Residual, fn)

  constexpr auto forward(auto x) const {
    auto const branch = fn(x);
    using Branch = std::remove_cvref_t<decltype(branch)>;
    if constexpr (is_invalid<Branch>) {
      return branch;
    } else {
      using Kept = typename detail::branch_relation<shape_of<Branch>, shape_of<decltype(x)>>::type;
      if constexpr (!Kept::agree) return invalid<Kept>{};
      else return branch + x;
    }
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
