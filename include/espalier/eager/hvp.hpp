// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "directional_call.hpp"

namespace espalier {
namespace detail {

/// (x..., v...) -> f's Hessian-vector product.
template <class F, unsigned Differentiated, std::size_t Count>
struct hessian_product {
  template <class... X>
  constexpr auto operator()(X... all) const {
    return one_or_all(body_gradients<directional_gradient<F, Differentiated, Count>, Differentiated>(all...).gradients);
  }
};

struct hessian_vector_product {
  static constexpr required_result required = required_result::number;
  static constexpr bool returns_gradients = true;
  template <class F, unsigned Differentiated, std::size_t Count>
  using at = directional_gradient<F, Differentiated, Count>;
  template <class F, unsigned Differentiated, std::size_t Count>
  using in_body = hessian_product<F, Differentiated, Count>;
};

}  // namespace detail

/// hvp(f)(x...)(v...): the product of the Hessian of f at x with v, without the Hessian. f returns one number.
/// hvp<I...>(f) differentiates these arguments only; models, integers and constant(x) are held constant. The cost is
/// about twice that of grad(f).
/// shape   v as x -> as x (a tensor for one argument, a std::tuple for several)
/// errors  f that captures, f that returns more than one number, and v with other shapes than x do not compile
/// source  Pearlmutter, Fast Exact Multiplication by the Hessian (1994); reverse over reverse
template <int... Arguments, class F>
constexpr auto hvp(F) {
  static_assert(!std::is_pointer_v<F>,
                ESPALIER_SENTENCE("hvp(f): " ESPALIER_NAME_OF_A_FUNCTION, ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("hvp(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree)
    return detail::directional_function<detail::hessian_vector_product, F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
