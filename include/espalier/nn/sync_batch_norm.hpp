// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "batch_norm.hpp"

namespace espalier::nn {

namespace detail {
constexpr norm with_sync(norm options) {
  options.sync = true;
  return options;
}
}  // namespace detail

/// BatchNorm whose training uses the mean and variance over the samples of all processes that train the model together
/// (distributed<>): BatchNorm with norm{.sync = true}, which BatchNorm1d and BatchNorm2d take as well. N processes with
/// batches of B compute what one process computes with a batch of N B. Running statistics have the same bits in all
/// processes. Everywhere else, also in evaluation, it is BatchNorm; parameters and names are those of BatchNorm.
/// shape   as of BatchNorm
/// range   as of BatchNorm
/// errors  as of BatchNorm, so each process needs several values per channel. Batches of one trainer that differ in
///         more than their number of samples, several devices of one process (cuda_parallel), and the step of a scan
///         do not compile
/// saves   the means of this process and of all
/// gradient  through the statistics of all processes
/// cost    a step waits for two exchanges of 2 Channels numbers for each layer: one forward, one backward
/// source  Ioffe and Szegedy 2015; PyTorch's SyncBatchNorm
template <int Channels, int Axis = 1, norm_argument Options = norm{}>
using SyncBatchNorm = BatchNorm<Channels, Axis, detail::with_sync(Options)>;

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
