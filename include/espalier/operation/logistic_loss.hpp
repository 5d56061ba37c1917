// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "negate.hpp"
#include "number_range.hpp"
#include "softplus.hpp"

namespace espalier {

struct logistic_loss_ {};

template <>
struct rule<logistic_loss_> : elementwise {
  static constexpr char const* name = "logistic_loss";
  static constexpr int arity = 3;
  /// Both logarithms share log(1 + exp(-|z|)); neither is a difference of large numbers.
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T z, T target, T weight) {
    T const below = math::softplus_below(z);
    return weight * target * (math::maximum(-z, T(0)) + below) + (T(1) - target) * (math::maximum(z, T(0)) + below);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T z, T target, T weight) {
    if constexpr (Operand == 0) return dy * ((1 - target) * sigmoid(z) - weight * target * sigmoid(-z));
    else if constexpr (Operand == 1) return dy * (weight * softplus(-z) - softplus(z));
    else return dy * (target * softplus(-z));
  }
};

/// logistic_loss(z, target, weight) = -weight target log(sigmoid(z)) - (1 - target) log(1 - sigmoid(z)), element by
/// element: binary cross-entropy of unnormalized scores, stable for large scores. weight multiplies the loss of
/// positive targets (PyTorch's pos_weight) and is 1 if omitted.
/// shape   S, S, S -> S; operands may be broadcast to one of them; weight may be a number
/// range   target in [0, 1]; weight >= 0
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ;
///         option_error for another number weight, which does not compile in a function
/// saves   z, target, weight
/// gradient  dz = dy ((1 - target) sigmoid(z) - weight target sigmoid(-z))
/// source  PyTorch's binary_cross_entropy_with_logits
template <class Z, class Target, class Weight>
  requires Operand<Z> && Operand<Target> &&
      (Operand<Weight> ||
       Number<Weight>)constexpr applied<logistic_loss_, Z, Target, Weight> logistic_loss(Z&& z, Target&& target,
                                                                                         Weight&& weight) {
    static_assert(holds<same_or_broadcast, reported_fault<logistic_loss_, Z, Target, Weight>>,
                  ESPALIER_SENTENCE("logistic_loss(z, target, weight): " ESPALIER_SHAPES_FIT,
                                    reported_fault<logistic_loss_, Z, Target, Weight>));
    static_assert(holds<same_element, reported_fault<logistic_loss_, Z, Target, Weight>>,
                  ESPALIER_SENTENCE("logistic_loss(z, target, weight): " ESPALIER_ELEMENTS_FIT,
                                    reported_fault<logistic_loss_, Z, Target, Weight>));
    static_assert(holds<same_device, reported_fault<logistic_loss_, Z, Target, Weight>>,
                  ESPALIER_SENTENCE("logistic_loss(z, target, weight): " ESPALIER_DEVICES_FIT,
                                    reported_fault<logistic_loss_, Z, Target, Weight>));
    if constexpr (Number<Weight>)
      detail::check_number("logistic_loss(z, target, weight)", "weight", static_cast<double>(weight),
                           detail::option_range::at_least_0, z, target);
    return apply<logistic_loss_>(static_cast<Z&&>(z), static_cast<Target&&>(target), static_cast<Weight&&>(weight));
  }
  template <Operand Z, Operand Target>
  constexpr applied<logistic_loss_, Z, Target, double> logistic_loss(Z&& z, Target&& target) {
    static_assert(holds<same_or_broadcast, reported_fault<logistic_loss_, Z, Target, double>>,
                  ESPALIER_SENTENCE("logistic_loss(z, target): " ESPALIER_SHAPES_FIT,
                                    reported_fault<logistic_loss_, Z, Target, double>));
    static_assert(holds<same_element, reported_fault<logistic_loss_, Z, Target, double>>,
                  ESPALIER_SENTENCE("logistic_loss(z, target): " ESPALIER_ELEMENTS_FIT,
                                    reported_fault<logistic_loss_, Z, Target, double>));
    static_assert(holds<same_device, reported_fault<logistic_loss_, Z, Target, double>>,
                  ESPALIER_SENTENCE("logistic_loss(z, target): " ESPALIER_DEVICES_FIT,
                                    reported_fault<logistic_loss_, Z, Target, double>));
    return apply<logistic_loss_>(static_cast<Z&&>(z), static_cast<Target&&>(target), 1.0);
  }

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
