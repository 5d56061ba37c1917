// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "optimizer.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::optim {

/// Adds l1 sum|p| + l2/2 sum p^2 to what is minimised: the gradient that the optimizer sees gains l1 sign(p) + l2 p, with sign(0) = 0. For Adam that is
/// another thing than AdamW's decay, which does not pass the moments; for SGD and Adam, l2 is their weight_decay by another name.
/// The loss that a trainer reports is the loss alone, unless in_loss is true; trainer.penalty() tells the rest.
/// range   l1 >= 0, l2 >= 0; both may change while training
/// cost    part of the update's sweep; one sweep more for each step with in_loss
template <class O>
struct penalized {
  static_assert(wrapped<O>::agree, ESPALIER_SENTENCE("optim::penalized{optimizer, l1, l2} wraps an optimizer", wrapped<O>));
  O optimizer{};
  double l1 = 0;
  double l2 = 0;
  bool in_loss = false;

  static constexpr int states = O::states;
  static constexpr int taken_from_above = detail::taken_from_above<O> + 2;
  static constexpr int own = detail::own_magnitudes<O, 2>;  ///< l1, then l2
  static constexpr bool decays = true;

  magnitudes magnitudes_of(std::int64_t step) const {
    magnitudes m = optimizer.magnitudes_of(step);
    m.at[own] = l1;
    m.at[own + 1] = l2;
    return m;
  }
  /// What the wrapped optimizer refuses is refused.
  static constexpr auto condition(auto g) requires requires { O::condition(g); }
  { return O::condition(g); }
  static constexpr auto penalty(auto decaying) {
    auto const here = sum(maximum(decaying, -decaying)) * magnitude<own>{} + sum(decaying * decaying) * magnitude<own + 1>{} * 0.5;
    if constexpr (requires { O::penalty(decaying); }) return here + O::penalty(decaying);
    else return here;
  }
  static constexpr auto update(auto p, auto g, auto... state) { return update_decaying(p, p, g, state...); }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    auto const sign = (decaying > 0) - (decaying < 0);
    return detail::updated<O>(p, decaying, g + sign * magnitude<own>{} + decaying * magnitude<own + 1>{}, state...);
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
#pragma GCC diagnostic pop
