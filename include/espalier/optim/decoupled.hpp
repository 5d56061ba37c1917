// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "optimizer.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::optim {

/// Named relation: a decay stands inside of what refuses updates, or a refused update would still decay.
template <class O>
struct decays_inside_a_refusal {
  static constexpr bool agree = !requires { O::condition(traced<shape<1>>{}); };
};

/// Any optimizer with a decay that is taken from the parameters themselves and does not pass its moments: p loses learning_rate weight_decay p beside
/// what the optimizer does. decoupled{Adam{}} is AdamW; around plain SGD it is SGD's weight_decay.
/// range   weight_decay >= 0; may change while training
/// source  Loshchilov and Hutter 2019
template <class O>
struct decoupled {
  static_assert(wrapped<O>::agree, ESPALIER_SENTENCE("optim::decoupled{optimizer, weight_decay} wraps an optimizer", wrapped<O>));
  static_assert(decays_inside_a_refusal<O>::agree,
                ESPALIER_SENTENCE("optim::decoupled: refuse_non_finite goes around it, refuse_non_finite{decoupled{optimizer}}",
                                  decays_inside_a_refusal<O>));
  O optimizer{};
  double weight_decay = 0.01;

  static constexpr int states = O::states;
  static constexpr int taken_from_above = detail::taken_from_above<O> + 1;
  static constexpr int own = detail::own_magnitudes<O, 1>;
  static constexpr bool decays = true;

  magnitudes magnitudes_of(std::int64_t step) const {
    magnitudes m = optimizer.magnitudes_of(step);
    m.at[own] = static_cast<double>(learning_rate(optimizer)) * weight_decay;
    return m;
  }
  static constexpr auto penalty(auto decaying) requires requires { O::penalty(decaying); }
  { return O::penalty(decaying); }
  static constexpr auto update(auto p, auto g, auto... state) { return update_decaying(p, p, g, state...); }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    return boost::hana::unpack(detail::updated<O>(p, decaying, g, state...), [&](auto const& next, auto const&... states_after) {
      return boost::hana::make_tuple(next - decaying * magnitude<own>{}, states_after...);
    });
  }
};
template <class O>
decoupled(O) -> decoupled<O>;
template <class O>
decoupled(O, double) -> decoupled<O>;

}  // namespace espalier::optim
#pragma GCC diagnostic pop
