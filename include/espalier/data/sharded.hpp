// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "shuffle.hpp"

ESPALIER_HEADER_INCLUDED(sharded);

namespace espalier::data {

/// The samples that one of several processes trains on: every batch of all processes together is the next part * batch
/// samples of the whole order, and each process has its part of it. Together, N processes with batches of B therefore
/// see the same samples in each step as one process with batches of N B.
///
///     data::loader batches{train, esp::batch<32, 8, 8>{}, data::sharded(data::shuffled{seed}, processes), data::drop_last};
///
/// part    from 0 to parts - 1: the rank of a process
/// last    of the samples that do not fill a batch of all processes, each process has an equal part; the first ones
///         have one more if they do not divide. So a process may have a last batch that another one has not
///         (trainer.join())
/// errors  size_error from the loader: a part outside 0 to parts - 1; with second_batch<N>, another remainder than
///         N * parts
constexpr order sharded(order all, int part, int parts) noexcept {
  all.part = part;
  all.parts = parts;
  return all;
}
/// The part of a process: of its rank among so many.
template <class Processes>
  requires requires(Processes const& p) {
    p.rank();
    p.size();
  }
constexpr order sharded(order all, Processes const& processes) noexcept {
  return sharded(all, processes.rank(), processes.size());
}

}  // namespace espalier::data
#include "../base/diagnostics_pop.hpp"
