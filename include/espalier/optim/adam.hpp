// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "optimizer.hpp"

namespace espalier::optim {

namespace detail {

/// The update of Adam and its variants. Both moments are bias-corrected from step 1 on; two hyperparameters contain the
/// corrections. A third vector, where there is one, stores the largest second moment so far, by which the step is
/// divided.
struct moments {
  static constexpr auto first(auto g, auto m) { return m * hyperparameter<1>{} + g * hyperparameter<2>{}; }
  static constexpr auto second(auto g, auto v) { return v * hyperparameter<3>{} + g * g * hyperparameter<4>{}; }
  static constexpr auto move(auto m, auto v) {
    return m * hyperparameter<0>{} / (sqrt(v * hyperparameter<5>{}) + hyperparameter<6>{});
  }

  /// Returns the new parameters (`kept` minus the move) and the new states.
  static constexpr auto step(auto kept, auto g, auto m, auto v) {
    auto const next_m = first(g, m);
    auto const next_v = second(g, v);
    return boost::hana::make_tuple(kept - move(next_m, next_v), next_m, next_v);
  }
  static constexpr auto step(auto kept, auto g, auto m, auto v, auto largest) {
    auto const next_m = first(g, m);
    auto const next_v = second(g, v);
    auto const next_largest = maximum(largest, next_v);
    return boost::hana::make_tuple(kept - move(next_m, next_largest), next_m, next_v, next_largest);
  }

  static hyperparameters of(double learning_rate, double beta1, double beta2, double epsilon, double decay,
                            std::int64_t step) {
    return hyperparameters{{learning_rate / (1 - power(beta1, step)), beta1, 1 - beta1, beta2, 1 - beta2,
                            1 / (1 - power(beta2, step)), epsilon, decay}};
  }
};

}  // namespace detail

/// Adam: moments of g = gradient + weight_decay p, both bias-corrected; p -= learning_rate m / (sqrt(v) + epsilon).
/// range   learning_rate >= 0, beta1 and beta2 in [0, 1), epsilon >= 0, weight_decay >= 0. In float, a gradient above
///         1.8e19 has an infinite square: its parameter stands still, as in PyTorch; clip_by_norm around it prevents it
/// errors  option_error: a number outside its range, at construction or by the first step after the change
/// source  Kingma and Ba 2015; needle's optim.Adam
struct Adam {
  static constexpr int states = 2;
  static constexpr char const* state_kind = "Adam";
  static constexpr bool decays = true;
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::Adam", "learning_rate", learning_rate, option_range::at_least_0);
    check_option("optim::Adam", "beta1", beta1, option_range::below_1);
    check_option("optim::Adam", "beta2", beta2, option_range::below_1);
    check_option("optim::Adam", "epsilon", epsilon, option_range::at_least_0);
    check_option("optim::Adam", "weight_decay", weight_decay, option_range::at_least_0);
  }
  hyperparameters hyperparameters_of(std::int64_t step) const {
    return detail::moments::of(learning_rate, beta1, beta2, epsilon, weight_decay, step);
  }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<Adam>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    return detail::moments::step(p, g + decaying * hyperparameter<7>{}, state...);
  }
};

/// AdamW: Adam with the decay applied directly to the parameters:
/// p = p (1 - learning_rate weight_decay) - learning_rate m / (sqrt(v) + epsilon).
/// range   as Adam
/// errors  as Adam
/// source  Loshchilov and Hutter 2019
struct AdamW {
  static constexpr int states = 2;
  static constexpr char const* state_kind = "Adam";
  static constexpr bool decays = true;
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::AdamW", "learning_rate", learning_rate, option_range::at_least_0);
    check_option("optim::AdamW", "beta1", beta1, option_range::below_1);
    check_option("optim::AdamW", "beta2", beta2, option_range::below_1);
    check_option("optim::AdamW", "epsilon", epsilon, option_range::at_least_0);
    check_option("optim::AdamW", "weight_decay", weight_decay, option_range::at_least_0);
  }
  hyperparameters hyperparameters_of(std::int64_t step) const {
    return detail::moments::of(learning_rate, beta1, beta2, epsilon, learning_rate * weight_decay, step);
  }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<AdamW>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    return detail::moments::step(p - decaying * hyperparameter<7>{}, g, state...);
  }
};

/// Named relation: amsgrad wraps Adam or AdamW.
template <class O>
struct is_adam {
  static constexpr bool agree = std::is_same_v<O, Adam> || std::is_same_v<O, AdamW>;
};

/// amsgrad{Adam{...}} or amsgrad{AdamW{...}}: divides by the root of the largest second moment so far. It never
/// shrinks, so steps do not grow when large gradients fade from the second moment. A third vector stores it.
/// range   that of the optimizer
/// source  Reddi, Kale and Kumar 2018; PyTorch's amsgrad=True (the bias correction is applied to the largest moment)
template <class O>
struct amsgrad {
  static_assert(is_adam<O>::agree,
                ESPALIER_SENTENCE("optim::amsgrad{optimizer}: the optimizer must be optim::Adam or optim::AdamW",
                                  is_adam<O>));
  O optimizer{};

  static constexpr int states = 3;
  static constexpr char const* state_kind = "AMSGrad";
  static constexpr bool decays = true;

  hyperparameters hyperparameters_of(std::int64_t step) const { return optimizer.hyperparameters_of(step); }
  static constexpr auto update(auto const& p, auto const& g, auto const&... state) {
    return detail::updated_whole<amsgrad>(p, g, state...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto g, auto... state) {
    return O::update_decaying(p, decaying, g, state...);
  }
};
template <class O>
amsgrad(O) -> amsgrad<O>;

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
