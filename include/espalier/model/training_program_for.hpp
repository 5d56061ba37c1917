// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../optim/scale_loss.hpp"
#include "net_programs.hpp"

namespace espalier::detail {

template <bool Scaled, class Net, class Loss, class Batch, bool AmongProcesses>
constexpr auto find_training_program() {
  if constexpr (AmongProcesses && combines_processes<Net, Loss, Batch>)
    return std::type_identity<synchronized_training_program<Net, Loss, Batch, Scaled>>{};
  else if constexpr (Scaled) return std::type_identity<scaled_training_program<Net, Loss, Batch>>{};
  else return std::type_identity<training_program<Net, Loss, Batch>>{};
}
/// The training program for an optimizer: its gradients are scaled if the optimizer expects that. AmongProcesses: on an
/// engine that combines values of several.
template <class Optimizer, class Net, class Loss, class Batch, bool AmongProcesses = false>
using training_program_for =
    typename decltype(find_training_program<optim::scales_loss<Optimizer>, Net, Loss, Batch, AmongProcesses>())::type;

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
