// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/label_error.hpp"

namespace espalier::detail {

/// The labels that a loss accepts for a prediction. A loss whose classes are not on the last axis declares their number
/// as target<Prediction>::classes; they are then on axis 1. A loss that ignores a label declares ignores_label and
/// ignored_label.
template <class Loss, class Prediction>
constexpr label_range label_range_of() {
  label_range r{Prediction::rank > 0 ? Prediction::value.at[Prediction::rank > 0 ? Prediction::rank - 1 : 0] : 1, false,
                0};
  if constexpr (requires { Loss::template target<Prediction>::classes; })
    r.classes = Loss::template target<Prediction>::classes;
  if constexpr (requires { Loss::ignored_label; }) {
    r.ignores = Loss::ignores_label;
    r.ignored = Loss::ignored_label;
  }
  return r;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
