// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/batch_norm.hpp"

namespace conformance {

/// A sequence of training steps x0, x1, ...; y and the gradients belong to the last; then evaluation of x0.
template <class Case, class T>
void check_batchnorm1d_running(case_run& run) {
  using In = shape_of<typename Case::inputs, "x0">;
  constexpr int count = attribute_or<Case, "count", int>(0);
  using Net =
      nn::BatchNorm1d<In::template extent<1>(), nn::norm{.eps = attribute_or<Case, "eps", double>(1e-5),
                                                         .momentum = attribute_or<Case, "momentum", double>(0.1)}>;
  watched_model<T, Net, In> watched(run);
  for (int i = 0; i < count; ++i) {
    watched.input(join("x", i));
    auto const y = watched.train();
    if (i == 0) watched.buffers({}, "_after_1");
    if (i + 1 < count) continue;
    report_result(run, "y", y);
    watched.buffers();
    watched.input("x0");
    report_result(run, "y_eval_of_x0", watched.evaluate());
    watched.input(join("x", i));
    if constexpr (Case::gradient) watched.gradients(join("x", i), gradient_of_loss(run, y));
  }
}

}  // namespace conformance
