// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "language_model.hpp"
#include "support/sequence_training.hpp"

namespace conformance {

/// Epochs over a text in chunks of seq_len rows, of which the last is shorter. Each epoch starts from zeros.
template <class Case, class T>
void check_lm_train(case_run& run) {
  using Net = language_model_of<Case>;
  using O = recurrent_options<Case>;
  constexpr bool is_lstm = attribute_is<Case, "seq_model", "lstm">;
  constexpr int epochs = attribute_or<Case, "epochs", int>(1), targets = attribute_or<Case, "rows", int>(1) - 1;
  constexpr int length = attribute_or<Case, "seq_len", int>(1), whole = targets / length, rest = targets % length;
  using State = esp::shape<O::layers, attribute_or<Case, "batch", int>(1), O::hidden>;
  sequence_training<Case, T, Net, State, is_lstm ? 2 : 1> training{run, cells_of_model<Case>};
  auto const nothing_else = [](auto const&, auto const&) {};
  std::vector<T> losses;
  auto const epoch = [&]<bool Updates>(std::bool_constant<Updates>) {
    double sum = 0;
    training.reset();
    auto const add = [&](int rows, auto const& result) {
      sum += static_cast<double>(result.loss) * rows;
      if (Updates) losses.push_back(result.loss);
    };
    for (int i = 0; i < whole; ++i) add(length, training.template chunk<length, Updates>(i * length, nothing_else));
    if constexpr (rest > 0) add(rest, training.template chunk<rest, Updates>(whole * length, nothing_else));
    return sum / targets;
  };
  double train_loss = 0;
  for (int i = 0; i < epochs; ++i) train_loss = epoch(std::true_type{});
  run.result("train_loss", train_loss);
  run.result("losses", std::span<T const>{losses}, esp::extents{1, {static_cast<int>(losses.size())}});
  run.result("test_loss", epoch(std::false_type{}));
  report_recurrent<Case, Net, T>(run, training.model, "final.", cells_of_model<Case>);
}

}  // namespace conformance
