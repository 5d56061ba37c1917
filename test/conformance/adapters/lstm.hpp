// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/recurrent.hpp"

namespace conformance {

template <class Case, class T>
void check_lstm(case_run& run) {
  run_recurrent<Case, T, lstm_layers<Case, recurrent_options<Case>::in>>(run, "lstm_cells",
                                                                         std::array<std::string_view, 2>{"hn", "cn"});
}

}  // namespace conformance
