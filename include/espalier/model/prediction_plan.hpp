// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/cpu/engine.hpp"
#include "net_programs.hpp"
#include "output_shape.hpp"
#include "parameter_count.hpp"
#include "zero_costs.hpp"

namespace espalier {

namespace detail {

template <class Net, class Batch, class T, class Found>
struct facts_of_prediction {
  using program = evaluation_program<Net, Batch>;
  static constexpr auto const& plan = plan::plan_of<program>;

  static constexpr auto input_shape = Batch{};
  static constexpr auto output_shape = typename described_results<Found>::type{};
  static constexpr std::int64_t parameter_count = espalier::parameter_count<Net>;
  static constexpr std::size_t parameter_bytes =
      bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.parameters.storage));
  static constexpr std::size_t buffer_bytes = bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.buffers.storage));
  /// Activations and temporaries; without input, scores, parameters and buffers.
  static constexpr std::size_t workspace_bytes = bytes_for<T>(static_cast<std::size_t>(plan.memory.workspace));
  /// What the processor's kernels need for themselves, on one thread: packed operands of products, padded images.
  static constexpr std::size_t kernel_bytes = on_cpu::room_bytes<plan::program_on_cpu<program>, T>;
  /// The maximum of the workspace's bytes that are live at the same time; each value is rounded up to its alignment.
  static constexpr std::size_t peak_live_bytes = static_cast<std::size_t>(plan.memory.peak_live) * sizeof(T);
  static constexpr int kernel_count = plan.groups.group_count;
  /// Multiplications and additions: two for each term of a product, one for each element of any other op.
  static constexpr std::int64_t flops = plan::flops_of_program<program>;
  /// Bytes that the kernels read and write; each operand and each result counts once.
  static constexpr std::int64_t bytes_moved = plan::moved_by_program<program> * static_cast<std::int64_t>(sizeof(T));
};

/// Does not compile: one error, and no facts.
template <class Net, class Found>
struct invalid_prediction : zero_costs {
  using Layers = root_message_fault<Found, Net, invalid_prediction>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(own_message_fault<Found, Net>::report()) != 0);
};
template <class Net, class Batch, class T, class Found = results_of_net<Net, Batch>>
using prediction_facts_or_invalid =
    std::conditional_t<is_invalid<Found>, invalid_prediction<Net, Found>, facts_of_prediction<Net, Batch, T, Found>>;

}  // namespace detail

/// The cost of a net's forward pass for one batch, as a predictor runs it: compile-time constants.
template <class Net, class Batch, class T = float>
using prediction_facts = detail::prediction_facts_or_invalid<Net, Batch, T>;

/// The facts of a net's evaluation as a value. training_plan has those of a training step.
///     static_assert(esp::prediction_plan<Net, batch<1, 8, 8>>.workspace_bytes <= 4096);
/// shape   any batch that fits the net
/// errors  layers that do not fit each other or the batch do not compile
/// memory  a predictor on the processor allocates workspace_bytes + kernel_bytes and its in_place_bytes; its model
///         allocates parameter_bytes + buffer_bytes
template <class Net, class Batch, class T = float, bool Fits = layers_fit<detail::results_of_net<Net, Batch>>::agree>
inline constexpr prediction_facts<Net, Batch, T> prediction_plan{};
template <class Net, class Batch, class T>
inline constexpr auto const& prediction_plan<Net, Batch, T, false> = detail::declared<prediction_facts<Net, Batch, T>>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
