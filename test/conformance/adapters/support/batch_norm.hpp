// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "module.hpp"

namespace conformance {

template <class Case>
inline constexpr int channels = input_shape<Case>::template extent<1>();

/// The norm in evaluation mode as a function, for its slopes. Given: x, weight, bias (or neither), running mean and variance.
template <double Eps>
struct batch_norm_evaluation {
  constexpr auto operator()(auto const& x, auto const& weight, auto const& bias, auto const& mean, auto const& variance) const {
    return (x - mean) / sqrt(variance + Eps) * weight + bias;
  }
};

/// One policy of the running variance: all steps of the case, then the running statistics and the evaluation mode's output under the policy's name.
template <class Case, class T, class Net>
void run_batch_norm(case_run& run, std::string_view policy, bool main) {
  using In = input_shape<Case>;
  watched_model<T, Net, In> watched(run);
  if (run.has(role::input, "running_mean0")) watched.buffer("running_mean", "running_mean0");
  if (run.has(role::input, "running_var0")) watched.buffer("running_var", "running_var0");
  if constexpr (attribute_or<Case, "training", bool>(true)) {
    for (int i = 0; i < attribute_or<Case, "before", int>(0); ++i) {
      watched.input(join("x_before", i));
      watched.train();
    }
    watched.input("x");
    auto const y = watched.train();
    if (main) {
      give(run, "y", y);
      give_value<T>(run, "y_with_shift_minus1", y - 1);
      watched.buffers();
    }
    watched.buffers({}, join("_", policy));
    give(run, join("y_eval_after_", policy), watched.evaluate());
    if (main) {
      if constexpr (Case::gradient) watched.slopes("x", slope_of_loss(run, y));
    }
  } else if (main) {
    watched.input("x");
    auto const y = watched.evaluate();
    give(run, "y", y);
    if constexpr (Case::gradient) {
      using C = esp::shape<channels<Case>>;
      esp::tensor<T, In> x;
      esp::tensor<T, C> weight, bias, mean, variance;
      weight.fill(1);
      run.read(role::input, "x", as_span<T>(x));
      if (run.has(role::parameter, "weight")) run.read(role::parameter, "weight", as_span<T>(weight));
      if (run.has(role::parameter, "bias")) run.read(role::parameter, "bias", as_span<T>(bias));
      variance.fill(1);
      if (run.has(role::input, "running_mean0")) run.read(role::input, "running_mean0", as_span<T>(mean));
      if (run.has(role::input, "running_var0")) run.read(role::input, "running_var0", as_span<T>(variance));
      auto const slopes = esp::vjp(batch_norm_evaluation<attribute_or<Case, "eps", double>(1e-5)>{})(x, weight, bias, mean,
                                                                                                     variance)(slope_of_loss(run, y));
      give(run, "grad.x", std::get<0>(slopes));
      give(run, "grad.weight", std::get<1>(slopes));
      give(run, "grad.bias", std::get<2>(slopes));
    }
  }
}

template <class Case, auto Variance>
using batch_norm_net = nn::BatchNorm1d<channels<Case>, nn::norm{.eps = attribute_or<Case, "eps", double>(1e-5),
                                                                .momentum = attribute_or<Case, "momentum", double>(0.1),
                                                                .variance = Variance}>;

}  // namespace conformance
