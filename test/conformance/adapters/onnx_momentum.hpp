// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/onnx_optimizer.hpp"

namespace conformance {

/// V = alpha V + beta G (beta counts as 1 for T = 0), where norm_coefficient X is part of G; X -= R V, or, with
/// Nesterov's, X -= R (G + alpha V): the heavy ball with a dampening of 1 - beta, and Nesterov's where nothing is
/// dampened.
template <class Case, class T>
void check_onnx_momentum(case_run& run) {
  onnx_rate<T> const given{run};
  constexpr double alpha = attribute_or<Case, "alpha", double>(0), beta = attribute_or<Case, "beta", double>(1);
  constexpr double decay = attribute_or<Case, "norm_coefficient", double>(0);
  double const rate = static_cast<double>(given.rate[0]);
  auto const steps = static_cast<std::int64_t>(given.steps[0]);
  auto const as_it_is = [](T x) { return x; };
  if constexpr (std::is_same_v<attribute_of<Case, "mode">, word<"nesterov">>) {
    if (beta != 1 && steps > 0) return run.fail("Nesterov's momentum with a beta other than 1 after the first step");
    optim::SGD const sgd{.learning_rate = rate, .momentum = optim::nesterov{alpha}, .weight_decay = decay};
    run_onnx_optimizer<T, 3>(run, typename Case::inputs{}, sgd, steps, as_it_is);
  } else {
    optim::SGD const sgd{.learning_rate = rate,
                         .momentum = optim::heavy_ball{.momentum = alpha, .dampening = 1 - beta},
                         .weight_decay = decay};
    run_onnx_optimizer<T, 3>(run, typename Case::inputs{}, sgd, steps, as_it_is);
  }
}

}  // namespace conformance
