// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/training.hpp"

namespace conformance {

/// Steps with a batch X<s>, labels target<s> and masks mask<i>_step<s> each; then the evaluation of X0.
template <class Case, class T>
void check_mlp_resnet_train(case_run& run) {
  using Net = typename attribute_of<Case, "module">::type;
  constexpr int batch = attribute_or<Case, "batch", int>(1), steps = attribute_or<Case, "steps_count", int>(1);
  using Batch = batch_of<Case, batch>;

  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  read_model(run, model);
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer_of<Case, T>(), Batch{}};
  esp::tensor<T, Batch> x;
  esp::tensor<std::int32_t, esp::shape<batch>> labels;
  esp::tensor<T, esp::shape<steps>> losses;
  for (int step = 0; step < steps; ++step) {
    run.read(role::input, join("X", step), as_span<T>(x));
    run.read(role::input, join("target", step), as_span<std::int32_t>(labels));
    read_masks(run, model, typename attribute_of<Case, "mask_paths">::type{}, join("_step", step));
    if constexpr (attribute_or<Case, "first_step", bool>(false)) {
      if (step == 0) report_first_step<Case, T, batch>(run, x, labels);
    }
    losses[step] = trainer.step(x, labels);
  }
  report_result(run, "losses", losses);
  run.result("loss", static_cast<double>(losses[steps - 1]));
  report_final(run, model);
  run.read(role::input, "X0", as_span<T>(x));
  report_result(run, "eval_logits_X0", model(x));
}

}  // namespace conformance
