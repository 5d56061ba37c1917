// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/sentence.hpp"
#include "optimizer.hpp"

namespace espalier::optim {

/// Divides the states of an optimizer among the processes that train a model together: each has those of its part of
/// the parameters, updates this part, and sends the new parameters to all in place of the mean of the gradients. The
/// results have the same bits as without it.
///     esp::model<Net, esp::distributed<>> model{esp::seed{1}, processes};
///     esp::trainer trainer{model, loss, optim::sharded{optim::Adam{}}, batch};
/// range   that of the optimizer
/// errors  an optimizer that combines parameters or gradients (clip_by_norm, skip_non_finite, scale_loss, a penalty of
///         decay_only), a wrapper around sharded, a model that is not distributed, and an updater do not compile
/// saved   the same files as without it; all processes call io::save_safetensors or io::save_npz, and one writes
/// memory  trainer.optimizer_bytes(processes, rank): 1 / processes of the states, and at most 64 bytes more for each
///         state and exchanged range; allocated when the processes meet
/// cost    the same bytes are sent as without it; one copy of the parameters in each step
/// source  Rajbhandari, Rasley, Ruwase and He 2020 (ZeRO, stage 1); PyTorch's ZeroRedundancyOptimizer
template <class O>
struct sharded {
  static_assert(wrapped<O>::agree,
                ESPALIER_SENTENCE("optim::sharded{optimizer}: the first member must be an optimizer", wrapped<O>));
  O optimizer{};

  using is_sharded = void;
  static constexpr int states = detail::wrapped_states<O>;
  static constexpr int wrapper_hyperparameters = detail::wrapper_hyperparameters<O>;

  auto hyperparameters_of(std::int64_t step) const { return detail::wrapped_hyperparameters(optimizer, step); }
  static constexpr auto condition(auto g) requires requires { O::condition(g); }
  { return O::condition(g); }
  static constexpr auto penalty(auto p) requires requires { O::penalty(p); }
  { return O::penalty(p); }
  static constexpr auto update(auto p, auto g, auto... state) { return O::update(p, g, state...); }
};
template <class O>
sharded(O) -> sharded<O>;

template <class O>
inline constexpr bool is_sharded = requires {
  typename O::is_sharded;
};

namespace detail {
template <class O>
constexpr bool has_sharded_inside() {
  if constexpr (requires(O o) { o.optimizer; })
    return is_sharded<decltype(O::optimizer)> || has_sharded_inside<decltype(O::optimizer)>();
  else return false;
}
}  // namespace detail
/// Named relation: sharded is the outermost wrapper, in a trainer of a distributed model that computes on processors.
template <class O, bool HasProcesses>
struct sharding_works {
  static constexpr bool agree = (!is_sharded<O> || HasProcesses) && !detail::has_sharded_inside<O>();
};
#define ESPALIER_SHARDING_WORKS                                                                       \
  "optim::sharded must be the outermost wrapper, for a model of several processes on the processor: " \
  "model<Net, distributed<>>"
/// Named relation: what sharded wraps updates each parameter by itself.
template <class O, bool EachAlone>
struct can_be_sharded {
  static constexpr bool agree = !is_sharded<O> || EachAlone;
};
#define ESPALIER_CAN_BE_SHARDED                                                                   \
  "optim::sharded{optimizer}: the optimizer must update each parameter by itself; clip_by_norm, " \
  "skip_non_finite and scale_loss need the gradients of all, and a penalty of decay_only the marks of all"

}  // namespace espalier::optim
#include "../base/diagnostics_pop.hpp"
