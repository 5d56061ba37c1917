// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/in_place.hpp"
#include "../device/parts.hpp"
#include "label_range.hpp"
#include "net_programs.hpp"
#include "restore_program.hpp"
#include "row_gradients.hpp"
#include "sharded_states.hpp"
#include "update_rule.hpp"

namespace espalier {

/// A constraint that errors name: devices or processes that train together combine the statistics of a net that has
/// those of all.
template <class Net, class Loss, class Batch, class Engine, class T>
struct statistics_of_all {
  static constexpr bool agree = [] {
    if constexpr ((on_device::parts_of<Engine> == 1 && !on_device::averages_with_others<Engine, T>) ||
                  on_device::combines_processes<Engine>)
      return true;
    else return !detail::combines_processes<Net, Loss, Batch>;
  }();
};

/// A constraint that errors name: batches have other numbers of samples, but the same samples. Synchronized: processes
/// whose batches differ combine statistics, with the weights of samples.
template <bool Synchronized, class Batch, class... More>
struct differ_in_samples_only {
  static constexpr bool agree = [] {
    [[maybe_unused]] auto const same = [](extents a, extents const& b) {
      if (a.rank == 0 || b.rank != a.rank) return false;
      a.at[0] = b.at[0];
      return a == b;
    };
    return !Synchronized || (same(Batch::value, More::value) && ...);
  }();
};

}  // namespace espalier
namespace espalier::detail {

/// The layout of a trainer's memory and of its exchange with the device, and the programs that they are for. The memory
/// holds, in this order: scratch memory, gradients, the optimizer's vectors, scores, the buffers from before a step,
/// the rows of tables, and what updates need during the backward pass.
template <class Model, class Loss, class Optimizer, class Batch, class... More>
struct trainer_memory {
  using Net = typename Model::net_type;
  using T = typename Model::value_type;
  using Input = stored_input<Net, T>;
  using Engine = typename Model::engine_type;
  static constexpr int trainable = static_cast<int>(slots_of<Net>.parameters.trainable_storage);
  using rule = update_rule<Optimizer, trainable, T, Engine>;
  using number = typename rule::number;

  using prediction_shape = shape_of<applied_net<Net, Batch>>;
  template <class B>
  using target_of = target_shape<Loss, shape_of<applied_net<Net, B>>>;
  using target_element = std::conditional_t<std::is_void_v<detail::target_element<Loss, prediction_shape>>, T,
                                            detail::target_element<Loss, prediction_shape>>;

  /// Rows of tables are not scaled: their gradients are whole tables then.
  static constexpr bool has_rows = [] {
    if constexpr (optim::scales_loss<Optimizer>) return false;
    else return trains_rows<Engine, Net, T, Loss, optim::is_lazy<Optimizer>, Batch, More...>();
  }();
  /// Whether each process has a part of the states (optim::sharded), in a memory of its own.
  static constexpr bool is_sharded = has_sharded_states<Optimizer, T, Engine>();
  static constexpr std::size_t state_bytes = is_sharded ? 0 : rule::state;
  using rows = row_gradients<has_rows, Optimizer, T, Engine, Net, Loss, Batch, More...>;
  /// The part of a batch that one device computes.
  template <class B>
  using part = espalier::on_device::part_on<B, Engine>;
  /// The program of a step on one device.
  template <class B>
  using step_program = typename rows::template program<part<B>>;
  using first_program = step_program<Batch>;
  static constexpr auto find_shards() {
    if constexpr (is_sharded)
      return std::type_identity<sharded_states<rule, Optimizer, T, Engine, Net,
                                               typename Engine::template ranges<first_program, T>, trainable>>{};
    else return std::type_identity<whole_states>{};
  }
  using shards = typename decltype(find_shards())::type;
  /// The program of a step with whole gradients, for a batch or a part of one.
  template <class B>
  using whole_program = training_program_for<Optimizer, Net, Loss, B, espalier::on_device::combines_processes<Engine>>;

  template <class... X>
  static constexpr std::size_t largest(X... x) {
    std::size_t most = 0;
    ((most = most > x ? most : x), ...);
    return most;
  }
  using scores_program = evaluation_program<Net, Batch>;
  /// Scores are in the trainer's memory, and the user may pass them back as images.
  using in_place = detail::in_place<scores_program, sizes_in_bytes<static_cast<std::size_t>(Batch::size) * sizeof(T)>,
                                    sizes_in_bytes<static_cast<std::size_t>(prediction_shape::size) * sizeof(T)>>;
  using loss_of_sample = loss_program<Loss, typename rows_of_sample<prediction_shape, Batch>::type>;

  static constexpr std::size_t workspace_bytes = largest(Engine::template workspace_bytes<step_program<Batch>, T>,
                                                         Engine::template workspace_bytes<step_program<More>, T>...);
  /// The workspace of a step, and what kernels need for themselves.
  static constexpr std::size_t step_bytes =
      largest(Engine::template run_bytes<step_program<Batch>, T>, Engine::template run_bytes<step_program<More>, T>...);
  static constexpr std::size_t gradient_bytes = bytes_for<T>(static_cast<std::size_t>(trainable));
  static constexpr std::size_t scores_bytes = bytes_for<T>(static_cast<std::size_t>(prediction_shape::size));
  /// A copy of the buffers from before a step. If the optimizer skips the update, or other processes do not take part
  /// in the step, it restores the running statistics.
  static constexpr std::size_t buffers_before_bytes =
      rule::may_skip || espalier::on_device::averages_with_others<Engine, T> ? Model::buffer_bytes : 0;
  /// Whether a program restores them on the device, so that a queued step need not wait for it.
  static constexpr bool restores_on_device =
      Engine::has_device_memory && rule::may_skip && buffers_before_bytes > 0 && trainable > 0;
  using restore = restore_program<slots_of<Net>.buffers.storage>;
  static constexpr std::size_t restore_workspace = [] {
    if constexpr (restores_on_device) return Engine::template run_bytes<restore, T>;
    else return std::size_t{0};
  }();
  /// The loss of one sample is computed on the host.
  static constexpr std::int64_t row = prediction_shape::size / Batch::value.at[0],
                                target_row = target_of<Batch>::size / Batch::value.at[0];
  static constexpr std::size_t wide_bytes(std::int64_t elements) {
    return rule::narrow ? bytes_for<number>(static_cast<std::size_t>(elements)) : 0;
  }
  static constexpr std::size_t loss_bytes = bytes_for<number>(workspace_elements<loss_of_sample>);
  static constexpr std::size_t scratch_bytes = largest(
      step_bytes, Engine::template run_bytes<scores_program, T> + (Engine::has_device_memory ? 0 : in_place::bytes),
      Engine::has_device_memory ? 0 : loss_bytes, rule::workspace, restore_workspace);
  static constexpr std::size_t gradients_at = scratch_bytes, states_at = gradients_at + gradient_bytes,
                               scores_at = states_at + state_bytes,
                               buffers_before_at = scores_at + (Engine::has_device_memory ? 0 : scores_bytes),
                               rows_at = buffers_before_at + aligned_bytes(buffers_before_bytes),
                               update_at = rows_at + aligned_bytes(rows::bytes), bytes = update_at + shards::workspace;

  /// Offsets in the exchange, in bytes: the inputs of a step, which are uploaded at once; its outputs; and memory for
  /// evaluate() on the host.
  struct exchange_offsets {
    static constexpr std::size_t random = 0, hyperparameters = tensor_alignment,
                                 images = hyperparameters + rule::input_bytes;
    template <class B>
    static constexpr std::size_t targets = images + bytes_for<Input>(static_cast<std::size_t>(B::size));
    template <class B>
    static constexpr std::size_t after = targets<B> +
                                         bytes_for<target_element>(static_cast<std::size_t>(target_of<B>::size));
    static constexpr std::size_t loss = largest(after<Batch>, after<More>...), rule_numbers = loss + tensor_alignment,
                                 scores = rule_numbers + rule::output_bytes;
    static constexpr std::size_t loss_workspace = scores + scores_bytes, sample = loss_workspace + loss_bytes,
                                 target = sample + wide_bytes(row);
    static constexpr std::size_t end = target + wide_bytes(target_row);
  };
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
