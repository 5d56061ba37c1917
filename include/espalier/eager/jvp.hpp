// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "directional_call.hpp"

namespace espalier {
namespace detail {

struct tangent_product {
  static constexpr required_result required = required_result::any;
  static constexpr bool returns_gradients = false;
  template <class F, unsigned Differentiated, std::size_t Count>
  using at = tangent<F, Differentiated, Count>;
  template <class F, unsigned Differentiated, std::size_t Count>
  using in_body = tangent<F, Differentiated, Count>;
};

}  // namespace detail

/// jvp(f)(x...)(dx...): the Jacobian-vector product, which is the derivative of f at x in the direction dx: the tangent
/// of f(x...). f may return any shape, or several values. jvp<I...>(f) takes directions of these arguments only;
/// models, integers and constant(x) have none. The cost is about that of f and its backward pass.
/// shape   dx as x -> as f(x...)
/// errors  f that captures, f whose shapes do not fit, and directions that do not have the shapes of x do not compile
/// source  the backward pass of the backward pass: Radul et al., You Only Linearize Once (2022), in reverse
template <int... Arguments, class F>
constexpr auto jvp(F) {
  static_assert(!std::is_pointer_v<F>,
                ESPALIER_SENTENCE("jvp(f): " ESPALIER_NAME_OF_A_FUNCTION, ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("jvp(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::directional_function<detail::tangent_product, F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
