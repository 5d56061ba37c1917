// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "norm.hpp"
#include "number_range.hpp"

namespace espalier {

namespace detail {
template <unsigned Mask, class X>
constexpr auto unit_masked(X&& x, double eps) {
  return make_node<unit_, Mask, shape_of<X>>(static_cast<X&&>(x), eps);
}
}  // namespace detail

/// unit<Axes...>(x, eps) = x / max(norm<Axes...>(x), eps): x with the length 1 over the named axes; no axes: over all.
/// eps is 1e-12 if omitted.
/// shape   S -> S
/// range   eps >= 0; no square overflows or underflows; 0 where all elements are 0, also with eps = 0
/// errors  an axis that does not exist or is named twice does not compile; option_error for another eps,
///         which does not compile in a function
/// saves   x, y, the norm
/// gradient  dx = (dy - y sum(dy y)) / norm(x), or dy / eps where norm(x) < eps; 0 where all elements are 0, to any
///         order (PyTorch: dy / eps)
/// source  PyTorch's functional.normalize
template <int... Axes, Expression X>
constexpr auto unit(X&& x, double eps = 1e-12) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>)
      static_assert(relation::agree, ESPALIER_SENTENCE("unit<axes...>(x, eps): " ESPALIER_AXES_FIT, relation));
    if constexpr (relation::agree) {
      detail::check_number("unit(x, eps)", "eps", eps, detail::option_range::at_least_0, x);
      return detail::unit_masked<axis_mask<Axes...>(shape_of<X>::rank)>(static_cast<X&&>(x), eps);
    } else {
      return invalid<relation>{};
    }
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
