// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../optim/optimizer.hpp"
#include "slots.hpp"

/// Checks that an optimizer's update fits a vector of parameters.
namespace espalier {

template <class Optimizer>
struct is_optimizer {
  static constexpr bool agree = optim::Optimizer<Optimizer>;
};
/// Named relations of an optimizer's update. It is a static function of the parameters, their gradient and one value
/// per state. It returns a Hana tuple of the new parameters and states. For a wrapper, they apply to the innermost
/// optimizer.
template <class Optimizer, int Size>
struct update_is_static {
  static constexpr bool agree = false;
};
template <class Optimizer, int Size, class Result>
struct update_returns_tuple {
  ESPALIER_READS("{} with {} parameters returns {}")
  static constexpr bool agree = boost::hana::Foldable<Result>::value;
};
template <class Optimizer, int Size>
struct update_returns_tuple<Optimizer, Size, void> {
  ESPALIER_READS("{} with {} parameters returns nothing")
  static constexpr bool agree = false;
};
template <class Optimizer, int Size, class... Values>
struct update_returns_tuple<Optimizer, Size, boost::hana::tuple<Values...>> {
  ESPALIER_READS("{} with {} parameters returns {}")
  static constexpr bool agree = sizeof...(Values) == Optimizer::states + 1;
};

#define ESPALIER_IS_OPTIMIZER \
  "trainer{model, loss, optimizer, batch...}: the third argument is not an optimizer, such as esp::optim::Adam{}"
#define ESPALIER_UPDATE_IS_STATIC                                                                               \
  "the optimizer's `update` must be static and accept the parameters, their gradient and each of its `states`;" \
  " write `static constexpr auto update(auto p, auto g, auto state)`, with hyperparameter<0>{} for the first number of hyperparameters_of"
#define ESPALIER_UPDATE_RETURNS_TUPLE \
  "the optimizer's `update` must return boost::hana::make_tuple(new parameters, new states...), with as many states as `states` declares"

namespace detail {

/// The type that an optimizer's update returns; no_call_of_update if it cannot be called.
struct no_call_of_update {};
template <class S, class Optimizer, class States>
struct update_result {
  using type = no_call_of_update;
};
template <class S, class Optimizer, int... State>
  requires requires {
    Optimizer::update(parameter<S, void>{0, nullptr}, traced<S>{}, buffer<S, void>{State, nullptr}...);
  }
struct update_result<S, Optimizer, std::integer_sequence<int, State...>> {
  using type =
      decltype(Optimizer::update(parameter<S, void>{0, nullptr}, traced<S>{}, buffer<S, void>{State, nullptr}...));
};
/// The fault of an optimizer and its update for a vector of Size parameters, or `agreed`.
template <class Optimizer, int Size>
constexpr auto optimizer_fault() {
  using S = shape<(Size > 0 ? Size : 1)>;
  if constexpr (!is_optimizer<Optimizer>::agree) {
    return is_optimizer<Optimizer>{};
  } else if constexpr (requires(Optimizer o) { o.optimizer; }) {
    return optimizer_fault<decltype(Optimizer::optimizer), Size>();
  } else {
    using Result = typename update_result<S, Optimizer, std::make_integer_sequence<int, Optimizer::states>>::type;
    if constexpr (std::is_same_v<Result, no_call_of_update>) return update_is_static<Optimizer, Size>{};
    else if constexpr (!update_returns_tuple<Optimizer, Size, Result>::agree)
      return update_returns_tuple<Optimizer, Size, Result>{};
    else return agreed{};
  }
}
template <class Net, class Optimizer, bool Fits>
constexpr auto optimizer_fault_of() {
  if constexpr (Fits) return optimizer_fault<Optimizer, static_cast<int>(slots_of<Net>.parameters.trainable_storage)>();
  else return agreed{};
}

constexpr auto report_optimizer_fault(agreed) { return true; }
template <class Optimizer>
constexpr auto report_optimizer_fault(is_optimizer<Optimizer>) {
  return true;  // the root reports it with its own sentence
}
template <class Optimizer, int Size>
constexpr auto report_optimizer_fault(update_is_static<Optimizer, Size>) {
  static_assert(update_is_static<Optimizer, Size>::agree,
                ESPALIER_SENTENCE(ESPALIER_UPDATE_IS_STATIC, ESPALIER_STATED(false, Optimizer)));
  return true;
}
template <class Optimizer, int Size, class Result>
constexpr auto report_optimizer_fault(update_returns_tuple<Optimizer, Size, Result>) {
  using Fault = update_returns_tuple<Optimizer, Size, Result>;
  static_assert(Fault::agree, ESPALIER_SENTENCE(ESPALIER_UPDATE_RETURNS_TUPLE, Fault));
  return true;
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
