// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "norm.hpp"

namespace conformance {

/// The norm in evaluation mode as a function, for its gradients. Given: x, weight, bias (or neither), running mean and
/// variance, one number per channel.
template <double Eps>
struct batch_norm_evaluation {
  constexpr auto operator()(auto const& x, auto const& weight, auto const& bias, auto const& mean,
                            auto const& variance) const {
    using S = esp::shape_of<decltype(x)>;
    return (x - along_channels<S>(mean)) / sqrt(along_channels<S>(variance) + Eps) * along_channels<S>(weight) +
           along_channels<S>(bias);
  }
};

/// One policy of the running variance: all steps of the case, then the running statistics and the evaluation mode's
/// output under the policy's name.
template <class Case, class T, class Net>
void run_batch_norm(case_run& run, std::string_view policy, bool main) {
  using In = input_shape<Case>;
  watched_model<T, Net, In> watched(run);
  if (run.has(role::input, "running_mean0")) watched.buffer("running_mean", "running_mean0");
  if (run.has(role::input, "running_var0")) watched.buffer("running_var", "running_var0");
  if constexpr (attribute_or<Case, "training", bool>(true)) {
    for (int i = 0; run.has(role::input, join("x_before", i)); ++i) {
      watched.input(join("x_before", i));
      watched.train();
    }
    watched.input("x");
    auto const y = watched.train();
    if (main) {
      report_result(run, "y", y);
      report_value<T>(run, "y_with_shift_minus1", y - 1);
      watched.buffers();
    }
    watched.buffers({}, join("_", policy));
    report_result(run, join("y_eval_after_", policy), watched.evaluate());
    if (main) {
      if constexpr (Case::gradient) watched.gradients("x", gradient_of_loss(run, y));
    }
  } else if (main) {
    watched.input("x");
    auto const y = watched.evaluate();
    report_result(run, "y", y);
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
      auto const gradients = esp::vjp(batch_norm_evaluation<options<Case>.eps>{})(x, weight, bias, mean,
                                                                                  variance)(gradient_of_loss(run, y));
      report_result(run, "grad.x", std::get<0>(gradients));
      report_result(run, "grad.weight", std::get<1>(gradients));
      report_result(run, "grad.bias", std::get<2>(gradients));
    }
  }
}

/// The layer for inputs of a rank: features or sequences, images, anything.
template <int Rank, int Channels, nn::norm Options>
struct batch_norm_of_rank {
  using type = nn::BatchNorm<Channels, 1, Options>;
};
template <int Rank, int Channels, nn::norm Options>
  requires(Rank < 4)
struct batch_norm_of_rank<Rank, Channels, Options> {
  using type = nn::BatchNorm1d<Channels, Options>;
};
template <int Channels, nn::norm Options>
struct batch_norm_of_rank<4, Channels, Options> {
  using type = nn::BatchNorm2d<Channels, Options>;
};
template <class Case, auto Variance>
using batch_norm_net =
    typename batch_norm_of_rank<input_shape<Case>::rank, channels<Case>, options<Case, Variance>>::type;

/// Both policies of the running variance, and the statistics of the batch.
template <class Case, class T>
void run_both_batch_norms(case_run& run) {
  run_batch_norm<Case, T, batch_norm_net<Case, nn::biased>>(run, "biased", true);
  if (run.expects("running_var_unbiased") || run.expects("y_eval_after_unbiased"))
    run_batch_norm<Case, T, batch_norm_net<Case, nn::unbiased>>(run, "unbiased", false);
  using In = input_shape<Case>;
  esp::tensor<T, In> x;
  run.read(role::input, "x", as_span<T>(x));
  auto const over_batch = [](auto const& of) {
    return [&]<int... Spatial>(std::integer_sequence<int, Spatial...>) {
      return value_of<T>(esp::mean<0, Spatial + 2 ...>(of));
    }
    (std::make_integer_sequence<int, In::rank - 2>{});
  };
  auto const mean = over_batch(x);
  auto const centered = value_of<T>(x - along_channels<In>(mean));
  auto const variance = over_batch(centered * centered);
  report_result(run, "batch_mean", mean);
  report_result(run, "batch_var_biased", variance);
  report_value<T>(run, "batch_std", sqrt(variance));
}

}  // namespace conformance
