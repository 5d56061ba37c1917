// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "fit.hpp"
#include "updater.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// What a training plan costs, known to the compiler.
/// units   bytes of one step; flops are operations on numbers, bytes_moved what kernels read and write
/// errors  layers, loss and batch that do not fit do not compile
template <class Net, class Loss, class Optimizer, class Batch, class T = float>
struct training_facts {
  using source = detail::training_source<Net, Loss, Batch>;
  static constexpr auto const& plan = plan::plan_of<source>;
  static constexpr int trainable = static_cast<int>(slots_of<Net>.parameters.trainable_storage);
  using update = detail::update_source<Optimizer, trainable>;

  /// Activations, adjoints and temporaries; parameters, gradients and optimizer state are not in it.
  static constexpr std::size_t workspace_bytes = detail::bytes_for<T>(static_cast<std::size_t>(plan.places.workspace));
  static constexpr std::size_t peak_live_bytes = static_cast<std::size_t>(plan.places.peak_live) * sizeof(T);
  static constexpr std::size_t parameter_bytes = detail::bytes_for<T>(static_cast<std::size_t>(slots_of<Net>.parameters.storage));
  static constexpr std::size_t gradient_bytes = detail::bytes_for<T>(static_cast<std::size_t>(trainable));
  static constexpr std::size_t optimizer_bytes = detail::update_bytes<Optimizer, T>(static_cast<std::size_t>(trainable));
  static constexpr std::int64_t parameter_count = espalier::parameter_count<Net>;
  /// Parameters of 16 bits: made precise before an update, their gradient a float, and rounded behind it.
  static constexpr bool narrow = detail::is_narrow<T>;
  static constexpr int kernel_count = plan.groups.group_count + plan::plan_of<update>.groups.group_count + (narrow ? 3 : 0);
  static constexpr std::int64_t flops = plan::flops_of_program<source>;
  /// What the kernels of a step, forward, backward and update, read and write, each operand and result once.
  static constexpr std::int64_t bytes_moved =
      plan::moved_by_program<source> * static_cast<std::int64_t>(sizeof(T)) +
      plan::moved_by_program<update> * static_cast<std::int64_t>(sizeof(detail::computed_in<T>)) +
      (narrow ? std::int64_t{trainable} * static_cast<std::int64_t>(3 * sizeof(T) + 3 * sizeof(float)) : 0);
};

/// Refused: one error, and no facts.
template <class Net, class Loss, class Optimizer, class Batch, class T>
  requires(!detail::training_fit<Net, Loss, Batch>::agree)
struct training_facts<Net, Loss, Optimizer, Batch, T> {
  static constexpr std::size_t workspace_bytes = 0, peak_live_bytes = 0, parameter_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0;
  static constexpr std::int64_t parameter_count = 0, flops = 0, bytes_moved = 0;
  static constexpr int kernel_count = 0;
  // Behind the members: clang knows none that stands behind an assertion that fails.
  using Fit = detail::training_fit<Net, Loss, Batch>;
  using Layers = detail::in_facts<typename Fit::layers, training_facts>;
  static_assert(layers_fit<Layers>::value, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(detail::say_in_words(detail::in_words<typename Fit::layers>{})) != 0);
  using LossMisfit = detail::in_facts<typename Fit::loss, training_facts>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(sizeof(detail::say_in_words(detail::in_words<typename Fit::loss>{})) != 0);
  static_assert(Fit::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Fit::statistics));
};

/// The facts of a training step as a value: training_plan<Net, Loss, Optimizer, batch<32, 8, 8>>.workspace_bytes.
/// shape   any batch that net and loss take
/// errors  layers, loss and batch that do not fit do not compile
/// memory  workspace_bytes, gradient_bytes and optimizer_bytes by kind; trainer<...>::bytes is all that a trainer takes
template <class Net, class Loss, class Optimizer, class Batch, class T = float, bool Fits = detail::training_fit<Net, Loss, Batch>::agree>
inline constexpr training_facts<Net, Loss, Optimizer, Batch, T> training_plan{};
template <class Net, class Loss, class Optimizer, class Batch, class T>
inline constexpr auto const& training_plan<Net, Loss, Optimizer, Batch, T, false> =
    detail::declared<detail::refused_training_of<detail::training_fit<Net, Loss, Batch>>>;

}  // namespace espalier
#pragma GCC diagnostic pop
