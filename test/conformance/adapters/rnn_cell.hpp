// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/recurrent.hpp"

namespace conformance {

template <class Case, class T>
void check_rnn_cell(case_run& run) {
  using O = recurrent_options<Case>;
  run_recurrent<Case, T, nn::RNNCell<O::in, O::hidden, nn::rnn_cell{.bias = O::bias, .nonlinearity = O::nonlinearity}>>(
      run, {}, std::array<std::string_view, 0>{});
}

}  // namespace conformance
