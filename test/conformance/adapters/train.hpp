// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/training.hpp"

namespace conformance {

/// Epochs over equal batches of X; `loss` is the last step's, or the evaluation loss on X_test where that is given.
template <class Case, class T>
void check_train(case_run& run) {
  using Net = typename attribute_of<Case, "module">::type;
  constexpr int batch = attribute_or<Case, "batch", int>(1), batches = attribute_or<Case, "batches", int>(1),
                epochs = attribute_or<Case, "epochs", int>(1);
  constexpr int test_samples = attribute_or<Case, "test_samples", int>(0);
  using Batch = batch_of<Case, batch>;

  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  read_model(run, model);
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer_of<Case, T>(), Batch{}};
  esp::tensor<T, Batch> x;
  esp::tensor<std::int32_t, esp::shape<batch>> labels;
  esp::tensor<T, esp::shape<epochs * batches>> losses;
  for (int step = 0; step < epochs * batches; ++step) {
    std::size_t const first = static_cast<std::size_t>(step % batches * batch);
    run.read_rows("X", first, as_span<T>(x));
    run.read_rows("target", first, as_span<std::int32_t>(labels));
    if constexpr (attribute_or<Case, "first_step", bool>(false)) {
      if (step == 0) report_first_step<Case, T, batch>(run, x, labels);
    }
    losses[step] = trainer.step(x, labels);
  }
  report_result(run, "losses", losses);
  report_final(run, model);
  if constexpr (test_samples > 0) {
    esp::tensor<T, batch_of<Case, test_samples>> test;
    esp::tensor<std::int32_t, esp::shape<test_samples>> test_labels;
    run.read(role::input, "X_test", as_span<T>(test));
    run.read(role::input, "target_test", as_span<std::int32_t>(test_labels));
    if constexpr (test_samples == batch) {
      run.result("loss", static_cast<double>(trainer.evaluate(test, test_labels).loss));
    } else {
      auto const logits = model(test);
      report_value<T>(run, "loss", nn::SoftmaxLoss{}(logits, test_labels));
    }
  } else {
    run.result("loss", static_cast<double>(losses[epochs * batches - 1]));
  }
}

}  // namespace conformance
