// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "optimizer.hpp"

namespace espalier::optim {

/// Adds the penalty l1 sum|p| + l2/2 sum p^2 to the objective: the optimizer receives the gradient plus l1 sign(p) + l2
/// p, with sign(0) = 0. For SGD and Adam, l2 has the effect of their weight_decay. AdamW's decay differs: it does not
/// pass through the moments. A trainer reports the loss without the penalty unless in_loss is true; trainer.penalty()
/// returns the penalty.
/// range   l1 >= 0, l2 >= 0; both may change while training
/// errors  as Adam
/// cost    part of the update's sweep; in_loss adds one sweep to each step
template <class O>
struct penalized {
  static_assert(wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::penalized{optimizer, l1, l2}: the first member must be an optimizer",
                                  wrapped<O>));
  O optimizer{};
  double l1 = 0;
  double l2 = 0;
  bool in_loss = false;

  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O> + 2;
  static constexpr int own = detail::own_hyperparameters<O, 2>;  ///< l1, then l2
  static constexpr bool decays = true;

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::penalized", "l1", l1, option_range::at_least_0);
    check_option("optim::penalized", "l2", l2, option_range::at_least_0);
  }
  hyperparameters hyperparameters_of(std::int64_t step) const {
    hyperparameters m = detail::wrapped_hyperparameters(optimizer, step);
    m.at[own] = l1;
    m.at[own + 1] = l2;
    return m;
  }
  /// An update that the wrapped optimizer skips is skipped.
  static constexpr auto condition(auto g) requires requires { O::condition(g); }
  { return O::condition(g); }
  static constexpr auto penalty(auto decaying) {
    auto const own_penalty = sum(maximum(decaying, -decaying)) * hyperparameter<own>{} +
                             sum(decaying * decaying) * hyperparameter<own + 1>{} * 0.5;
    if constexpr (requires { O::penalty(decaying); }) return own_penalty + O::penalty(decaying);
    else return own_penalty;
  }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<penalized>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    auto const sign = (decaying > 0) - (decaying < 0);
    return detail::updated<O>(p, decaying, g + sign * hyperparameter<own>{} + decaying * hyperparameter<own + 1>{},
                              state...);
  }
};
template <class O>
penalized(O) -> penalized<O>;
template <class O>
penalized(O, double) -> penalized<O>;
template <class O>
penalized(O, double, double) -> penalized<O>;
template <class O>
penalized(O, double, double, bool) -> penalized<O>;

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
