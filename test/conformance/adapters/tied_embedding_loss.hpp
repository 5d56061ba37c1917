// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/operation/cross_entropy.hpp>

#include "support/indexing.hpp"

namespace conformance {

/// Scores of all words by a product with the table that the words are looked up in.
struct tied_logits {
  constexpr auto operator()(auto const& x, auto const& weight) const {
    return esp::matmul(esp::index_select<0>(weight, x), esp::transpose<0, 1>(weight));
  }
};
struct tied_loss {
  constexpr auto operator()(auto const& x, auto const& target, auto const& weight) const {
    return esp::cross_entropy(tied_logits{}(x, weight), target);
  }
};

template <class Case, class T>
void check_tied_embedding_loss(case_run& run) {
  detail::with_inputs<T>(
      run,
      [&](auto const& x, auto const&, auto const& weight) { report_value<T>(run, "logits", tied_logits{}(x, weight)); },
      detail::both(typename Case::inputs{}, typename Case::parameters{}));
  run_function<Case, T, tied_loss>(run);
}

}  // namespace conformance
