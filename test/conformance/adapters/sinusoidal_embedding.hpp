// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

/// The table is what the module adds to zeros.
template <class Case, class T>
void check_sinusoidal_embedding(case_run& run) {
  using Table = esp::shape<attribute_or<Case, "length", int>(0), attribute_or<Case, "embedding_dim", int>(0)>;
  using Net = nn::SinusoidalPositions<{.base = attribute_or<Case, "base", double>(10000),
                                       .first_position = attribute_or<Case, "first_position", int>(0)}>;
  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  report_result(run, "y", model(esp::tensor<T, Table>{}));
}

}  // namespace conformance
