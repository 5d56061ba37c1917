// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/batch_norm.hpp"

namespace conformance {

/// Both policies of the running variance, and the statistics of the batch.
template <class Case, class T>
void check_batch_norm1d(case_run& run) {
  run_batch_norm<Case, T, batch_norm_net<Case, nn::biased>>(run, "biased", true);
  if (run.wants("running_var_unbiased") || run.wants("y_eval_after_unbiased"))
    run_batch_norm<Case, T, batch_norm_net<Case, nn::unbiased>>(run, "unbiased", false);
  esp::tensor<T, input_shape<Case>> x;
  run.read(role::input, "x", as_span<T>(x));
  auto const mean = value_of<T>(esp::mean<0>(x));
  auto const variance = value_of<T>(esp::mean<0>((x - mean) * (x - mean)));
  give(run, "batch_mean", mean);
  give(run, "batch_var_biased", variance);
  give_value<T>(run, "batch_std", sqrt(variance));
}

}  // namespace conformance
