// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/recurrent.hpp"

namespace conformance {

template <class Case, class T>
void check_rnn(case_run& run) {
  run_recurrent<Case, T, rnn_layers<Case, recurrent_options<Case>::in>>(run, "rnn_cells",
                                                                        std::array<std::string_view, 1>{"hn"});
}

}  // namespace conformance
