// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

/// In training the mask is given; evaluation is the identity.
template <class Case, class T>
void check_dropout(case_run& run) {
  constexpr double p = attribute_or<Case, "p", double>(0.5);
  using In = input_shape<Case>;
  if constexpr (attribute_or<Case, "training", bool>(true)) {
    esp::tensor<T, In> mask;
    std::span<T> const values = as_span<T>(mask);
    std::string_view const name = run.has(role::input, "mask") ? "mask" : "mask0";
    run.read(role::input, name, values);
    report_result(run, "mask", mask);
    if constexpr (p == 0) {
      run_module<Case, T, nn::Dropout<p>>(run);
    } else {
      watched_model<T, nn::MaskedDropout<p, In>, In> watched(run);
      watched.input("x");
      watched.buffer("mask", name);
      auto const y = watched.train();
      report_result(run, "y", y);
      if constexpr (Case::gradient) watched.gradients("x", gradient_of_loss(run, y));
    }
  } else {
    watched_model<T, nn::Dropout<p>, In> watched(run);
    watched.input("x");
    report_result(run, "y", watched.evaluate());
    esp::tensor<T, In> ones;
    ones.fill(1);
    report_result(run, "mask", ones);
    // The identity's gradient: evaluation mode has no gradients of its own.
    if constexpr (Case::gradient) report_result(run, "grad.x", gradient_of_loss(run, ones));
  }
}

}  // namespace conformance
