// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/sequence_training.hpp"

namespace conformance {

/// Updates on chunks of bptt rows, with clipping.
template <class Case, class T>
void check_tbptt_train(case_run& run) {
  using O = recurrent_options<Case>;
  constexpr int words = attribute_or<Case, "vocabulary", int>(1),
                features = attribute_or<Case, "embedding_size", int>(0);
  using Layers = named_layers<Case, "cell", (features > 0 ? features : words)>;
  using Net = std::conditional_t<(features > 0), nn::LanguageModel<words, Layers>, one_hot_model<words, Layers>>;
  constexpr int length = attribute_or<Case, "bptt", int>(1), updates = attribute_or<Case, "updates", int>(1);
  constexpr int batch = attribute_or<Case, "batch", int>(1);
  using State = esp::shape<O::layers, batch, O::hidden>;
  sequence_training<Case, T, Net, State, Layers::state_count> training{run, "cell"};
  std::vector<T> losses, norms;
  for (int update = 0; update < updates; ++update) {
    auto const result =
        training.template chunk<length>(update * length, [&](auto const& scores, auto const& gradients) {
          if (update > 0) return;
          run.result("logits_step0", {scores.data(), static_cast<std::size_t>(scores.size())},
                     esp::extents{3, {length, batch, words}});
          report_recurrent<Case, Net, T>(run, gradients, "grad_step0.", "cell");
        });
    losses.push_back(result.loss);
    norms.push_back(static_cast<T>(result.gradient_norm));
  }
  run.result("losses", std::span<T const>{losses}, esp::extents{1, {updates}});
  run.result("grad_norms", std::span<T const>{norms}, esp::extents{1, {updates}});
  report_result(run, "hn", training.state[0]);
  if constexpr (Layers::state_count == 2) report_result(run, "cn", training.state[1]);
  report_recurrent<Case, Net, T>(run, training.model, "final.", "cell");
}

}  // namespace conformance
