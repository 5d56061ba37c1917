// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/recurrent.hpp"

namespace conformance {

template <class Case, class T>
void check_lstm_cell(case_run& run) {
  using O = recurrent_options<Case>;
  run_recurrent<Case, T, nn::LSTMCell<O::in, O::hidden, nn::lstm_cell{.bias = O::bias}>>(
      run, {}, std::array<std::string_view, 1>{"cn"});
}

}  // namespace conformance
