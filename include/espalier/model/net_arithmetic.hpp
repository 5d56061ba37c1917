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

/// Relation that errors name: gradients outside of functions are no values of a formula.
template <class Net>
struct gradients_in_function {
  static constexpr bool agree = false;
};
#define ESPALIER_GRADIENTS_IN_FUNCTIONS                                                                           \
  "ops of gradients, such as sum(square(g)), work in functions: write them in a function of the model, and call " \
  "esp::value_and_grad(f)(model, x...) or esp::compiled"

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
ESPALIER_OF_PARAMETERS(exp)
ESPALIER_OF_PARAMETERS(log)
ESPALIER_OF_PARAMETERS(sqrt)
ESPALIER_OF_PARAMETERS(square)
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
/// Do not compile: gradients outside of functions.
template <class Net, class T, class Device>
constexpr auto square(gradients<Net, T, Device> const&) {
  using Values = detail::gradients_in_function<Net>;
  static_assert(Values::agree, ESPALIER_SENTENCE(ESPALIER_GRADIENTS_IN_FUNCTIONS, Values));
  return invalid<already_reported>{};
}
template <class Net, class T, class Device>
constexpr auto sum(gradients<Net, T, Device> const&) {
  using Values = detail::gradients_in_function<Net>;
  static_assert(Values::agree, ESPALIER_SENTENCE(ESPALIER_GRADIENTS_IN_FUNCTIONS, Values));
  return invalid<already_reported>{};
}
template <class Net, class T, class Device>
constexpr auto mean(gradients<Net, T, Device> const&) {
  using Values = detail::gradients_in_function<Net>;
  static_assert(Values::agree, ESPALIER_SENTENCE(ESPALIER_GRADIENTS_IN_FUNCTIONS, Values));
  return invalid<already_reported>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
