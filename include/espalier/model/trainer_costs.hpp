// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "trainer_memory.hpp"
#include "training_plan.hpp"

namespace espalier::detail {

/// The bytes of a trainer's optimizer.
template <class Memory, bool AsksForShards>
class optimizer_costs {
 public:
  static constexpr std::size_t optimizer_bytes = Memory::state_bytes;
};
template <class Memory>
class optimizer_costs<Memory, true> {
 public:
  /// The bytes of a sharded optimizer in the process of this rank, which it allocates beside the trainer's `bytes`.
  static constexpr std::size_t optimizer_bytes([[maybe_unused]] int processes, [[maybe_unused]] int rank) {
    if constexpr (Memory::is_sharded) return Memory::shards::bytes(processes, rank);
    else return 0;  // such a trainer does not compile
  }
};

/// The costs of a trainer, as compile-time constants, and the facts of its targets. A trainer inherits them.
/// units   bytes of the whole trainer (bytes) and of its parts; flops are of a step of the first batch
template <class Model, class Loss, class Optimizer, class Batch, class... More>
class trainer_costs
    : public optimizer_costs<trainer_memory<Model, Loss, Optimizer, Batch, More...>, optim::is_sharded<Optimizer>> {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Memory = trainer_memory<Model, Loss, Optimizer, Batch, More...>;

 public:
  using prediction_shape = typename Memory::prediction_shape;
  template <class B>
  using target_of = typename Memory::template target_of<B>;
  using target_element = typename Memory::target_element;
  static constexpr bool has_labels = std::is_integral_v<target_element>;
  static constexpr label_range labels = label_range_of<Loss, prediction_shape>();

  static constexpr std::size_t workspace_bytes = Memory::workspace_bytes;
  /// What the processor's kernels need for themselves: packed operands of products, padded images.
  static constexpr std::size_t kernel_bytes = Memory::step_bytes - Memory::workspace_bytes;
  static constexpr std::size_t parameter_bytes = Model::parameter_bytes;
  static constexpr std::size_t gradient_bytes = Memory::gradient_bytes;
  static constexpr std::size_t bytes = Memory::bytes;
  static constexpr std::int64_t parameter_count = Model::parameter_count;
  using program = typename Memory::Engine::template program<typename Memory::template step_program<Batch>>;
  static constexpr int kernel_count = plan::plan_of<program>.groups.group_count +
                                      plan::plan_of<update_program<Optimizer, Memory::trainable>>.groups.group_count +
                                      (is_narrow<T> ? 3 : 0) + (Memory::restores_on_device ? 1 : 0);
  static constexpr std::int64_t flops = plan::flops_of_program<program>;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
