// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "map_parameters.hpp"

/// Parameters and gradients of a whole model as values of a function: g * 0.5f, net - 0.1f * g, sum(square(g)),
/// sum(a * b). Each works element by element on all trainable parameters.
namespace espalier {

namespace detail {

/// The number of elements of all trainable parameters.
template <class Net>
inline constexpr std::int64_t trainable_elements = [] {
  std::int64_t count = 0;
  for (int i = 0; i < slots_of<Net>.parameters.count; ++i)
    if (slots_of<Net>.parameters.trainable[i]) count += slots_of<Net>.parameters.shape[i].size();
  return count;
}();

/// A model, or gradients of one, outside of functions.
template <class X>
concept OutsideOfFunctions = ModelArgument<X> || requires {
  typename X::gradients_of;
};
/// Relation that errors name: models and gradients outside of functions are no values of a formula.
template <class X>
struct parameters_in_function {
  ESPALIER_READS("got {}")
  static constexpr bool agree = false;
};
/// A separate function, in no macro: the error has fewer lines.
template <class X>
constexpr invalid<already_reported> parameters_outside() {
  using Values = parameters_in_function<X>;
  static_assert(
      Values::agree,
      ESPALIER_SENTENCE(
          "ops of gradients and models, such as sum(square(g)), work in functions: write them in a function of the model, and "
          "call esp::value_and_grad(f)(model, x...) or esp::compiled",
          Values));
  return {};
}

}  // namespace detail

// Ops of all trainable parameters, in the body of a function.
// shape     a net or gradients of one -> the same
// gradient  that of the op
#define ESPALIER_OF_PARAMETERS(op)                            \
  template <class Net>                                        \
  constexpr auto op(traced_net<Net> const& net) {             \
    return map_parameters([](auto p) { return op(p); }, net); \
  }
ESPALIER_OF_PARAMETERS(abs)
ESPALIER_OF_PARAMETERS(cos)
ESPALIER_OF_PARAMETERS(erf)
ESPALIER_OF_PARAMETERS(exp)
ESPALIER_OF_PARAMETERS(gelu)
ESPALIER_OF_PARAMETERS(log)
ESPALIER_OF_PARAMETERS(relu)
ESPALIER_OF_PARAMETERS(sigmoid)
ESPALIER_OF_PARAMETERS(silu)
ESPALIER_OF_PARAMETERS(sin)
ESPALIER_OF_PARAMETERS(softplus)
ESPALIER_OF_PARAMETERS(sqrt)
ESPALIER_OF_PARAMETERS(square)
ESPALIER_OF_PARAMETERS(tanh)
#undef ESPALIER_OF_PARAMETERS

/// sum(g): the sum of all elements of all trainable parameters or gradients, in the body of a function. sum(square(g))
/// is the square of their norm, and sum(a * b) their inner product.
/// shape     a net or gradients of one -> ()
/// gradient  1 for each element
template <class Net>
constexpr auto sum(traced_net<Net> const& net) {
  return sum_parameters([](auto p) { return sum(p); }, net);
}
/// mean(g): sum(g) divided by the number of elements.
/// shape     a net or gradients of one -> ()
/// gradient  1 / elements for each element
template <class Net>
constexpr auto mean(traced_net<Net> const& net) {
  return sum(net) * (1.0 / static_cast<double>(detail::trainable_elements<Net>));
}
// Do not compile: models and gradients outside of functions.
template <detail::OutsideOfFunctions X>
constexpr auto abs(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto cos(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto erf(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto exp(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto gelu(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto log(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto mean(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto relu(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto sigmoid(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto silu(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto sin(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto softplus(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto sqrt(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto square(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto sum(X const&) {
  return detail::parameters_outside<X>();
}
template <detail::OutsideOfFunctions X>
constexpr auto tanh(X const&) {
  return detail::parameters_outside<X>();
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
