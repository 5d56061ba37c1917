// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct softmax_loss_function {
  constexpr auto operator()(auto const& x, auto const& target) const { return nn::SoftmaxLoss{}(x, target); }
};

template <class Case, class T>
void check_softmax_loss(case_run& run) {
  run_function<Case, T, softmax_loss_function>(run, "loss");
}

}  // namespace conformance
