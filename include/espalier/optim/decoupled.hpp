// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "optimizer.hpp"

namespace espalier::optim {

/// Named relation: skip_non_finite or scale_loss is the outer wrapper; inside, a skipped update would still decay the
/// parameters.
template <class O>
struct skip_wraps_decay {
  static constexpr bool agree = !requires { O::condition(traced<shape<1>>{}); };
};

/// Adds a decay to any optimizer, applied directly to the parameters and not through the moments. Each step subtracts
/// learning_rate weight_decay p in addition to the optimizer's update. decoupled{Adam{}} is AdamW; around plain SGD it
/// is SGD's weight_decay.
/// range   weight_decay >= 0; may change while training
/// errors  as Adam
/// source  Loshchilov and Hutter 2019
template <class O>
struct decoupled {
  static_assert(wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::decoupled{optimizer, weight_decay}: the first member must be an optimizer",
                                  wrapped<O>));
  static_assert(
      skip_wraps_decay<O>::agree,
      ESPALIER_SENTENCE(
          "optim::decoupled: skip_non_finite or scale_loss must be the outer wrapper, skip_non_finite{decoupled{optimizer}}",
          skip_wraps_decay<O>));
  O optimizer{};
  double weight_decay = 0.01;

  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O> + 1;
  static constexpr int own = detail::own_hyperparameters<O, 1>;
  static constexpr bool decays = true;

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::decoupled", "weight_decay", weight_decay, option_range::at_least_0);
  }
  hyperparameters hyperparameters_of(std::int64_t step) const {
    hyperparameters m = detail::wrapped_hyperparameters(optimizer, step);
    m.at[own] = static_cast<double>(learning_rate(optimizer)) * weight_decay;
    return m;
  }
  static constexpr auto penalty(auto decaying) requires requires { O::penalty(decaying); }
  { return O::penalty(decaying); }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<decoupled>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    return boost::hana::unpack(
        detail::updated<O>(p, decaying, g, state...), [&](auto const& next, auto const&... states_after) {
          return boost::hana::make_tuple(next - decaying * hyperparameter<own>{}, states_after...);
        });
  }
};
template <class O>
decoupled(O) -> decoupled<O>;
template <class O>
decoupled(O, double) -> decoupled<O>;

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
