// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "optimizer.hpp"

namespace espalier::optim {

/// RMSProp: v is a running mean of g^2, g = gradient + weight_decay p; p -= learning_rate g / (sqrt(v) + epsilon).
/// range   learning_rate >= 0, smoothing in [0, 1), epsilon >= 0, weight_decay >= 0. In float, a gradient above
///         1.8e19 has an infinite square: its parameter stands still, as in PyTorch; clip_by_norm around it prevents it
/// errors  as Adam
/// source  Tieleman and Hinton 2012; PyTorch's torch.optim.RMSprop, whose alpha is smoothing
struct RMSProp {
  static constexpr int states = 1;
  static constexpr char const* state_kind = "RMSProp";
  static constexpr bool decays = true;
  double learning_rate = 0.01;
  double smoothing = 0.99;
  double epsilon = 1e-8;
  double weight_decay = 0;

  /// errors  option_error
  ESPALIER_INLINE constexpr void check() const {
    using espalier::detail::check_option, espalier::detail::option_range;
    check_option("optim::RMSProp", "learning_rate", learning_rate, option_range::at_least_0);
    check_option("optim::RMSProp", "smoothing", smoothing, option_range::below_1);
    check_option("optim::RMSProp", "epsilon", epsilon, option_range::at_least_0);
    check_option("optim::RMSProp", "weight_decay", weight_decay, option_range::at_least_0);
  }
  hyperparameters hyperparameters_of(std::int64_t) const {
    return hyperparameters{{learning_rate, smoothing, 1 - smoothing, epsilon, weight_decay}};
  }
  static constexpr auto update(auto const& p, auto const& g, auto const&... v) {
    return detail::updated_whole<RMSProp>(p, g, v...);
  }
  static constexpr auto update_decaying(auto p, auto decaying, auto gradient, auto v) {
    auto const g = gradient + decaying * hyperparameter<4>{};
    auto const next = v * hyperparameter<1>{} + g * g * hyperparameter<2>{};
    return boost::hana::make_tuple(p - g * hyperparameter<0>{} / (sqrt(next) + hyperparameter<3>{}), next);
  }
};

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
