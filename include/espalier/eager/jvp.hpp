// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "directional_call.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {
namespace detail {

template <class F, int... K>
struct jvp_function : rejects_numbers<1> {
  template <class... X>
    requires(RootArgument<X>&&...)
  constexpr auto operator()(X&&... x) const {
    using Fault = decltype(directional_call<F, required_result::any, K...>::template check<X...>());
    constexpr unsigned wanted = arguments_with_directions<void(X...), K...>;
    constexpr std::size_t count = sizeof...(X);
    if constexpr (!Fault::agree) return Fault{};
    else
      return directional_at<tangent<F, wanted, count>, 0u, wanted,
                            std::remove_reference_t<decltype(argument_value(x))>...>{argument_value(x)...};
  }
  /// In the body of a function.
  template <BodyArgument... X>
    requires(!(TensorArgument<X> && ...))
  constexpr auto operator()(X const&... x) const {
    using Fault = typename body_fault<F, required_result::any, K...>::template of<X...>;
    using Values = values_of_body<(of_body_values<X> || ...), X...>;
    static_assert(Values::agree || !Fault::agree,
                  ESPALIER_SENTENCE("jvp(f)(x...): x is a formula of tensors; pass evaluate(x)", Values));
    constexpr unsigned wanted = arguments_with_directions<void(X...), K...>;
    using Real = std::conditional_t<all_have_directions<X...>(wanted), agreed, differentiated_tensors<X...>>;
    if constexpr (!Fault::agree) return typename Fault::type{};
    else if constexpr (!Values::agree) return invalid<Values>{};
    else if constexpr (!Real::agree) return invalid<Real>{};
    else
      return directional_in_body<tangent<F, wanted, sizeof...(X)>, wanted, as_body_argument<X>...>{
          {argument_in_body(common_tracer(x...), x)...}};
  }
  using rejects_numbers<1>::operator();
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
  if constexpr (captureless<F>::agree) return detail::jvp_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
