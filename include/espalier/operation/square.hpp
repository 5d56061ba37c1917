// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "composite.hpp"
#include "multiply.hpp"

namespace espalier {

struct square_ {};

template <>
struct rule<square_> : composite {
  static constexpr char const* name = "square";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr auto expand(auto x, auto) { return x * x; }
};

/// square(x) = x x, element by element; x is traced once, however long its formula.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy x + dy x
template <Operand X>
constexpr auto square(X&& x) {
  if constexpr (Handle<X>) return x * x;
  else if constexpr (is_invalid<std::remove_cvref_t<X>>) return std::remove_cvref_t<X>{};
  else return detail::make_node<square_, 0, shape_of<X>>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
