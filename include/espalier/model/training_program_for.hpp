// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../optim/scale_loss.hpp"
#include "net_programs.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier::detail {

/// The training program for an optimizer: its gradients are scaled if the optimizer expects that.
template <class Optimizer, class Net, class Loss, class Batch>
using training_program_for =
    std::conditional_t<optim::scales_loss<Optimizer>, scaled_training_program<Net, Loss, Batch>,
                       training_program<Net, Loss, Batch>>;

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
