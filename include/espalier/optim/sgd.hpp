// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "optimizer.hpp"

namespace espalier::optim {

/// No momentum, and no memory for it.
struct no_momentum {};
/// Momentum as in needle: u = m u + (1 - m) g.
/// range   m in [0, 1]
/// source  needle's optim.SGD
struct damped {
  double momentum = 0.9;
};
/// Momentum as in PyTorch: u = g at the first step, then u = m u + (1 - dampening) g.
/// range   m in [0, 1], dampening in [0, 1]
/// source  Polyak 1964; PyTorch's torch.optim.SGD
struct heavy_ball {
  double momentum = 0.9;
  double dampening = 0;
};
/// Nesterov's momentum as in PyTorch: u = m u + g, and the step is along g + m u.
/// range   m in [0, 1]
/// source  Nesterov 1983; Sutskever, Martens, Dahl and Hinton 2013
struct nesterov {
  double momentum = 0.9;
};

/// Named relation: the momentum of SGD is one of these types.
template <class Momentum>
struct is_momentum {
  static constexpr bool agree = std::is_same_v<Momentum, no_momentum> || std::is_same_v<Momentum, damped> ||
                                std::is_same_v<Momentum, heavy_ball> || std::is_same_v<Momentum, nesterov>;
};

/// Stochastic gradient descent: g = gradient + weight_decay p, then p -= learning_rate d. The direction d is g, or the
/// result of the momentum for g.
/// range   learning_rate >= 0, weight_decay >= 0
/// errors  as Adam
/// source  needle's optim.SGD; PyTorch's torch.optim.SGD for heavy_ball and nesterov
template <class Momentum = no_momentum>
struct SGD {
  static_assert(
      is_momentum<Momentum>::agree,
      ESPALIER_SENTENCE(
          "optim::SGD: momentum must be optim::no_momentum, optim::damped, optim::heavy_ball or optim::nesterov",
          is_momentum<Momentum>));
  double learning_rate = 0.01;
  Momentum momentum{};
  double weight_decay = 0;

  static constexpr bool has_memory = !std::is_same_v<Momentum, no_momentum>;
  static constexpr int states = has_memory ? 1 : 0;
  static constexpr char const* state_kind = !has_memory                        ? nullptr
                                            : std::is_same_v<Momentum, damped> ? "SGD with damped momentum"
                                                                               : "SGD with momentum";

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::SGD", "learning_rate", learning_rate, option_range::at_least_0);
    check_option("optim::SGD", "weight_decay", weight_decay, option_range::at_least_0);
    if constexpr (has_memory) check_option("optim::SGD", "momentum", momentum.momentum, option_range::to_1);
    if constexpr (std::is_same_v<Momentum, heavy_ball>)
      check_option("optim::SGD", "dampening", momentum.dampening, option_range::to_1);
  }
  constexpr hyperparameters hyperparameters_of([[maybe_unused]] std::int64_t step) const {
    hyperparameters m{{learning_rate, weight_decay}};
    if constexpr (has_memory) m.at[2] = momentum.momentum;
    if constexpr (std::is_same_v<Momentum, damped>) m.at[3] = 1 - momentum.momentum;
    if constexpr (std::is_same_v<Momentum, heavy_ball>) m.at[3] = step == 1 ? 1 : 1 - momentum.dampening;
    return m;
  }

  /// Without momentum and decay, a finite parameter whose gradient is 0 stays as it is: updates of tables may leave out
  /// rows. With a very large learning rate it may change.
  constexpr bool keeps_unread_rows() const requires(!has_memory) {
    return weight_decay == 0 && learning_rate >= 0 && learning_rate < 1e30;
  }

  static constexpr bool decays = true;
  static constexpr auto update(auto const& p, auto const& gradient, auto const&... u) {
    return detail::updated_whole<SGD>(p, gradient, u...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto gradient, auto... u) {
    auto const g = gradient + decaying * hyperparameter<1>{};
    if constexpr (has_memory) return with_memory(p, g, u...);
    else return boost::hana::make_tuple(p - g * hyperparameter<0>{});
  }

 private:
  static constexpr auto with_memory(auto p, auto g, auto u) {
    if constexpr (std::is_same_v<Momentum, nesterov>) {
      auto const next = u * hyperparameter<2>{} + g;
      return boost::hana::make_tuple(p - (g + next * hyperparameter<2>{}) * hyperparameter<0>{}, next);
    } else {
      auto const next = u * hyperparameter<2>{} + g * hyperparameter<3>{};
      return boost::hana::make_tuple(p - next * hyperparameter<0>{}, next);
    }
  }
};

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
