// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../device/cpu/engine.hpp"
#include "../plan/convolution_program.hpp"
#include "training_fit.hpp"
#include "training_program_for.hpp"
#include "parameter_count.hpp"
#include "update_program.hpp"
#include "update_rule.hpp"
#include "zero_costs.hpp"

namespace espalier {

namespace detail {
/// The program of a training step as the processor runs it. It trains no parameters of 16 bits: theirs stays as traced.
template <class Net, class Loss, class Optimizer, class Batch, class T,
          class Program = training_program_for<Optimizer, Net, Loss, Batch>>
using training_on_cpu = std::conditional_t<is_narrow<T>, Program, plan::program_on_cpu<Program>>;
}  // namespace detail

/// The cost of a training step, as compile-time constants.
/// units   bytes of one step; flops are operations on numbers, bytes_moved the bytes that kernels read and write
/// errors  layers, loss, optimizer and batch that do not fit do not compile
template <class Net, class Loss, class Optimizer, class Batch, class T = float>
struct training_facts {
  using program = detail::training_on_cpu<Net, Loss, Optimizer, Batch, T>;
  static constexpr auto const& plan = plan::plan_of<program>;
  static constexpr int trainable = static_cast<int>(slots_of<Net>.parameters.trainable_storage);
  using update = detail::update_program<Optimizer, trainable>;

  /// Activations, adjoints and temporaries; without parameters, gradients and optimizer state.
  static constexpr std::size_t workspace_bytes = detail::bytes_for<T>(static_cast<std::size_t>(plan.memory.workspace));
  /// What the processor's kernels need for themselves, on one thread: packed operands of products, padded images.
  static constexpr std::size_t kernel_bytes = on_cpu::room_bytes<program, T>;
  static constexpr std::size_t peak_live_bytes = static_cast<std::size_t>(plan.memory.peak_live) * sizeof(T);
  static constexpr std::size_t parameter_bytes =
      detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.parameters.storage));
  static constexpr std::size_t gradient_bytes = detail::bytes_for<T>(static_cast<std::size_t>(trainable));
  static constexpr std::size_t optimizer_bytes =
      detail::update_bytes<Optimizer, T>(static_cast<std::size_t>(trainable));
  static constexpr std::int64_t parameter_count = espalier::parameter_count<Net>;
  /// Parameters of 16 bits need three more kernels. Before an update they refresh master weights and convert the
  /// gradient to float; after it they round the new parameters.
  static constexpr bool narrow = detail::is_narrow<T>;
  static constexpr int kernel_count =
      plan.groups.group_count + plan::plan_of<update>.groups.group_count + (narrow ? 3 : 0);
  static constexpr std::int64_t flops = plan::flops_of_program<program>;
  /// Bytes that the kernels of forward pass, backward pass and update read and write; each operand and result counts
  /// once.
  static constexpr std::int64_t bytes_moved =
      plan::moved_by_program<program> * static_cast<std::int64_t>(sizeof(T)) +
      plan::moved_by_program<update> * static_cast<std::int64_t>(sizeof(detail::computed_in<T>)) +
      (narrow ? std::int64_t{trainable} * static_cast<std::int64_t>(3 * sizeof(T) + 3 * sizeof(float)) : 0);
};

#define ESPALIER_PLAN_HAS_LOSS \
  "training_plan<Net, Loss, Optimizer, batch>: the second argument is not a loss, such as nn::SoftmaxLoss"
#define ESPALIER_PLAN_HAS_OPTIMIZER \
  "training_plan<Net, Loss, Optimizer, batch>: the third argument is not an optimizer, such as esp::optim::Adam"
#define ESPALIER_PLAN_HAS_BATCH \
  "training_plan<Net, Loss, Optimizer, batch>: the fourth argument is not a batch, such as esp::batch<32, 8, 8>"

namespace detail {
/// The type of training_plan for an invalid training step. Its name holds the fault, which g++ prints before the
/// sentence; the name of training_facts would be too long. At most one argument is a fault.
template <class Arguments, class Layers, class Loss, class Statistics, class Update>
struct invalid_training : zero_costs {
  static_assert(holds<is_loss, invalid<Arguments>>, ESPALIER_SENTENCE(ESPALIER_PLAN_HAS_LOSS, Arguments));
  static_assert(holds<loss_has_target, invalid<Arguments>>, ESPALIER_SENTENCE(ESPALIER_LOSS_HAS_TARGET, Arguments));
  static_assert(holds<loss_without_parameters, invalid<Arguments>>,
                ESPALIER_SENTENCE(ESPALIER_LOSS_WITHOUT_PARAMETERS, Arguments));
  static_assert(holds<is_batch, invalid<Arguments>>, ESPALIER_SENTENCE(ESPALIER_PLAN_HAS_BATCH, Arguments));
  static_assert(holds<is_optimizer, invalid<Update>>, ESPALIER_SENTENCE(ESPALIER_PLAN_HAS_OPTIMIZER, Update));
  static_assert(sizeof(report_optimizer_fault(Update{})) != 0);
  using Misfit = std::conditional_t<own_message<Layers>::exists, agreed, Layers>;
  static_assert(layers_fit<Misfit>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Misfit));
  static_assert(sizeof(own_message<Layers>::report()) != 0);
  using LossMisfit = std::conditional_t<own_message<Loss>::exists, agreed, Loss>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(own_message<Loss>::report()) != 0);
  static_assert(Statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, Statistics));
};
template <class Facts, class Net, class Loss, class Optimizer, class Batch, class Fit = training_fit<Net, Loss, Batch>>
using invalid_training_of =
    invalid_training<typename first_fault<typename Fit::loss_type_fault, typename Fit::batch_type_fault>::type,
                     unreported<typename Fit::layers, Net, Facts>,
                     unreported<typename Fit::loss, faults_of<Net, Loss>, Facts>, typename Fit::statistics,
                     decltype(optimizer_fault_of<Net, Optimizer, Fit::agree>())>;
}  // namespace detail

/// Does not compile: one error, and no facts.
template <class Net, class Loss, class Optimizer, class Batch, class T>
  requires(!detail::trainer_fault<Net, Loss, Optimizer, Batch>::agree)
struct training_facts<Net, Loss, Optimizer, Batch, T>
    : detail::invalid_training_of<training_facts<Net, Loss, Optimizer, Batch, T>, Net, Loss, Optimizer, Batch> {};

/// The facts of a training step as a value: training_plan<Net, Loss, Optimizer, batch<32, 8, 8>>.workspace_bytes.
/// shape   any batch that fits net and loss
/// errors  layers, loss, optimizer and batch that do not fit do not compile
/// memory  workspace_bytes, kernel_bytes, gradient_bytes and optimizer_bytes separately; trainer<...>::bytes is a
///         trainer's whole memory
template <class Net, class Loss, class Optimizer, class Batch, class T = float,
          bool Fits = detail::trainer_fault<Net, Loss, Optimizer, Batch>::agree>
inline constexpr training_facts<Net, Loss, Optimizer, Batch, T> training_plan{};
template <class Net, class Loss, class Optimizer, class Batch, class T>
inline constexpr auto const& training_plan<Net, Loss, Optimizer, Batch, T, false> = detail::declared<
    detail::invalid_training_of<training_facts<Net, Loss, Optimizer, Batch, T>*, Net, Loss, Optimizer, Batch>>;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
