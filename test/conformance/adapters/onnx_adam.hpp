// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>

#include "support/onnx_optimizer.hpp"

namespace conformance {

/// V = alpha V + (1 - alpha) G, H = beta H + (1 - beta) G^2, X -= R sqrt(1 - beta^T) / (1 - alpha^T) V / (sqrt(H) +
/// epsilon), where norm_coefficient X is part of G; without the corrections for T = 0; in the end X *= 1 -
/// norm_coefficient_post. That is Adam with epsilon / sqrt(1 - beta^T), and for T = 0 Adam after so many steps that
/// nothing is left to correct.
template <class Case, class T>
void check_onnx_adam(case_run& run) {
  onnx_rate<T> const given{run};
  constexpr double alpha = attribute_or<Case, "alpha", double>(0.9), beta = attribute_or<Case, "beta", double>(0.999);
  constexpr double epsilon = attribute_or<Case, "epsilon", double>(0),
                   decay = attribute_or<Case, "norm_coefficient", double>(0);
  constexpr double post = attribute_or<Case, "norm_coefficient_post", double>(0);
  auto const steps = static_cast<std::int64_t>(given.steps[0]);
  double const corrected = steps > 0 ? epsilon / std::sqrt(1 - std::pow(beta, static_cast<double>(steps))) : epsilon;
  optim::Adam const adam{.learning_rate = static_cast<double>(given.rate[0]),
                         .beta1 = alpha,
                         .beta2 = beta,
                         .epsilon = corrected,
                         .weight_decay = decay};
  run_onnx_optimizer<T, 4>(run, typename Case::inputs{}, adam, steps > 0 ? steps - 1 : std::int64_t{1} << 50,
                           [](T x) { return x * static_cast<T>(1 - post); });
}

}  // namespace conformance
