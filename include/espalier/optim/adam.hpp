// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "optimizer.hpp"

namespace espalier::optim {

namespace detail {

/// Both moments, bias-corrected from step 1 on; the corrections are folded into two magnitudes.
struct moments {
  static constexpr auto first(auto g, auto m) { return m * magnitude<1>{} + g * magnitude<2>{}; }
  static constexpr auto second(auto g, auto v) { return v * magnitude<3>{} + g * g * magnitude<4>{}; }
  static constexpr auto move(auto m, auto v) { return m * magnitude<0>{} / (sqrt(v * magnitude<5>{}) + magnitude<6>{}); }

  static magnitudes of(double learning_rate, double beta1, double beta2, double epsilon, double decay, std::int64_t step) {
    return magnitudes{{learning_rate / (1 - power(beta1, step)), beta1, 1 - beta1, beta2, 1 - beta2, 1 / (1 - power(beta2, step)), epsilon, decay}};
  }
};

}  // namespace detail

/// Adam: moments of g = gradient + weight_decay p, both bias-corrected; p -= learning_rate m / (sqrt(v) + epsilon).
/// range   learning_rate >= 0, beta1 and beta2 in [0, 1), epsilon >= 0, weight_decay >= 0
/// source  Kingma and Ba 2015; needle's optim.Adam
struct Adam {
  static constexpr int states = 2;
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0;

  magnitudes magnitudes_of(std::int64_t step) const { return detail::moments::of(learning_rate, beta1, beta2, epsilon, weight_decay, step); }
  static constexpr auto update(auto p, auto gradient, auto m, auto v) {
    auto const g = gradient + p * magnitude<7>{};
    auto const next_m = detail::moments::first(g, m);
    auto const next_v = detail::moments::second(g, v);
    return boost::hana::make_tuple(p - detail::moments::move(next_m, next_v), next_m, next_v);
  }
};

/// AdamW: Adam with the decay taken from the parameters themselves: p = p (1 - learning_rate weight_decay) - learning_rate m / (sqrt(v) + epsilon).
/// range   as Adam
/// source  Loshchilov and Hutter 2019
struct AdamW {
  static constexpr int states = 2;
  double learning_rate = 0.001;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;

  magnitudes magnitudes_of(std::int64_t step) const { return detail::moments::of(learning_rate, beta1, beta2, epsilon, 1 - learning_rate * weight_decay, step); }
  static constexpr auto update(auto p, auto g, auto m, auto v) {
    auto const next_m = detail::moments::first(g, m);
    auto const next_v = detail::moments::second(g, v);
    return boost::hana::make_tuple(p * magnitude<7>{} - detail::moments::move(next_m, next_v), next_m, next_v);
  }
};

}  // namespace espalier::optim
