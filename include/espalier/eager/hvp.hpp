// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "directional_call.hpp"

#include "../base/diagnostics_push.hpp"
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

template <class F, int... K>
struct hvp_function : rejects_numbers<1> {
  template <class... X>
    requires(RootArgument<X>&&...)
  constexpr auto operator()(X&&... x) const {
    using Fault = decltype(directional_call<F, required_result::number, K...>::template check<X...>());
    constexpr unsigned wanted = arguments_with_directions<void(X...), K...>;
    constexpr std::size_t count = sizeof...(X);
    if constexpr (!Fault::agree) return Fault{};
    else
      return directional_at<directional_gradient<F, wanted, count>, wanted, wanted,
                            std::remove_reference_t<decltype(argument_value(x))>...>{argument_value(x)...};
  }
  /// In the body of a function.
  template <BodyArgument... X>
    requires(!(TensorArgument<X> && ...))
  constexpr auto operator()(X const&... x) const {
    using Fault = typename body_fault<F, required_result::number, K...>::template of<X...>;
    using Values = values_of_body<(of_body_values<X> || ...), X...>;
    static_assert(Values::agree || !Fault::agree,
                  ESPALIER_SENTENCE("hvp(f)(x...): x is a formula of tensors; pass evaluate(x)", Values));
    constexpr unsigned wanted = arguments_with_directions<void(X...), K...>;
    using Real = std::conditional_t<all_have_directions<X...>(wanted), agreed, differentiated_tensors<X...>>;
    if constexpr (!Fault::agree) return typename Fault::type{};
    else if constexpr (!Values::agree) return invalid<Values>{};
    else if constexpr (!Real::agree) return invalid<Real>{};
    else
      return directional_in_body<hessian_product<F, wanted, sizeof...(X)>, wanted, as_body_argument<X>...>{
          {argument_in_body(common_tracer(x...), x)...}};
  }
  using rejects_numbers<1>::operator();
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
  if constexpr (captureless<F>::agree) return detail::hvp_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
