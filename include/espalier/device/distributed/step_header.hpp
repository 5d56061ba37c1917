// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "../../base/hash.hpp"
#include "../../base/raise.hpp"
#include "processes.hpp"

/// What processes tell each other of a step before they exchange gradients: no process computes with the numbers of
/// another program, and none waits for one that has given up.
namespace espalier::on_device {

struct step_header {
  enum class state : std::uint32_t { trains, rejects, has_joined, saves };
  std::uint64_t number;           ///< counts the steps of a trainer, from 1 on; 0 when processes meet
  std::uint64_t program;          ///< a hash of what is compiled: the trainer's type, the exchanged ranges
  std::uint64_t hyperparameters;  ///< a hash of the optimizer's numbers
  std::uint64_t parameters;       ///< a hash of some parameters, other ones in each step
  std::int64_t samples;           ///< of the batch of this process
  state is;
  std::uint32_t wants_loss;
};
static_assert(sizeof(step_header) <= processes::line);

/// Compares the headers of all processes with that of process 0. All processes therefore throw the same error.
/// errors  distributed_error, which names the first process that differs
template <class HeaderOf>
void check_headers(processes const& all, HeaderOf const& header_of) {
  step_header const& first = header_of(0);
  auto const process = [&](int k) {
    espalier::detail::error_text text;
    text << "process " << k << " of " << all.size();
    return text;
  };
  for (int k = 0; k < all.size(); ++k)
    if (header_of(k).is == step_header::state::rejects)
      espalier::detail::raise(
          distributed_error{process(k) << " rejected its batch at step " << static_cast<std::int64_t>(first.number)
                                       << ", and its own error says why; no process has changed its model"});
  for (int k = 1; k < all.size(); ++k) {
    step_header const& other = header_of(k);
    if (other.program != first.program)
      espalier::detail::raise(distributed_error{
          process(k) << " runs another program than process 0: another executable, net, loss, optimizer or batch"});
    if ((other.is == step_header::state::saves) != (first.is == step_header::state::saves)) {
      bool const other_saves = other.is == step_header::state::saves;
      espalier::detail::raise(distributed_error{
          process(k) << (other_saves ? " saves the states of a sharded optimizer, and process 0 trains, at step "
                                     : " trains, and process 0 saves the states of a sharded optimizer, at step ")
                     << static_cast<std::int64_t>(first.number) << "; all processes have to save together"});
    }
    if (other.number != first.number)
      espalier::detail::raise(distributed_error{process(k)
                                                << " is at step " << static_cast<std::int64_t>(other.number)
                                                << ", process 0 at step " << static_cast<std::int64_t>(first.number)
                                                << "; all have to train equally often (trainer.join() at the end)"});
    if (other.hyperparameters != first.hyperparameters)
      espalier::detail::raise(distributed_error{process(k)
                                                << " has another learning rate or hyperparameter of the optimizer than "
                                                   "process 0 at step "
                                                << static_cast<std::int64_t>(first.number)});
    if (other.parameters != first.parameters)
      espalier::detail::raise(distributed_error{
          process(k) << " has other parameters than process 0 at step " << static_cast<std::int64_t>(first.number)
                     << "; what one process writes into the model, all have to write"});
    if (other.is == step_header::state::has_joined || first.is == step_header::state::has_joined) continue;
    if (other.wants_loss != first.wants_loss)
      espalier::detail::raise(
          distributed_error{process(k) << " differs from process 0 in whether it passes queued{} to step()"});
  }
}

}  // namespace espalier::on_device
#include "../../base/diagnostics_pop.hpp"
