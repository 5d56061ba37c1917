// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/recurrent.hpp"

namespace conformance {

template <class Case, class T>
void check_gru_cell(case_run& run) {
  using O = recurrent_options<Case>;
  run_recurrent<Case, T, nn::GRUCell<O::in, O::hidden, nn::gru_cell{.bias = O::bias, .reset_after = O::reset_after}>>(
      run, {}, std::array<std::string_view, 0>{});
}

}  // namespace conformance
